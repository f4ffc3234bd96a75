import { addressOf } from '../store/collection.ts';
import { keyText, startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import {
  type AccountDocument,
  accounts,
  type ChunkDocument,
  chunkIdOf,
  chunkRefOf,
  chunks,
  dailySpending,
  type SendDocument,
} from './documents.ts';
import type { AccountRecord, BalanceMarker, ChunkRef, EvidenceCase, Json, Receipt } from './ledger.ts';
import { announceTopics } from './outbox.ts';
import { findChunk } from './read-chunks.ts';
import { hasEnded } from './transitions.ts';

export const DAY_MS = 86_400_000;

export const EMPTY_ACCOUNT: AccountDocument = {
  activity: 0,
  receiptsSince: 0,
  inFlight: {},
  maybeInFlight: {},
  unexplained: 0,
};

/** The account after a chunk of it changed: what is on its way, in doubt, and without evidence. */
export function updateAccountForChunk(
  view: View,
  id: string,
  { ref, was, is }: { ref: ChunkRef; was: ChunkDocument | undefined; is: ChunkDocument },
): void {
  const account = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  const name = chunkIdOf(ref);
  const { [name]: _landed, ...inFlight } = account.inFlight;
  const { [name]: _known, ...maybeInFlight } = account.maybeInFlight;
  const { state, deadline = 0, size } = is;
  if (state === 'sending') inFlight[name] = [deadline, size];
  if (state === 'unknown' && deadline > view.now) maybeInFlight[name] = deadline;
  const unexplained = account.unexplained - (isUnexplained(was) ? 1 : 0) + (isUnexplained(is) ? 1 : 0);
  view.put(accounts, id, { ...account, inFlight, maybeInFlight, unexplained });
}

function isUnexplained(chunk: ChunkDocument | undefined): boolean {
  return chunk?.state === 'unknown' && chunk.evidence === undefined;
}

/** Counts an intent or a settlement: a balance read that saw the count move was not quiet. */
export function countActivity(view: View, id: string): void {
  const account = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  view.put(accounts, id, { ...account, activity: account.activity + 1 });
}

/**
 * Takes in what an answer says of the credits: the figure falls at once, and the baseline is carried forward. `isKnown`: the
 * evidence has seen this charge already, so the baseline has it.
 */
export function recordReceipt(view: View, id: string, receipt: Receipt, isKnown: boolean): void {
  const account = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  const { creditsUsed, creditsRemaining } = receipt;
  const falls = account.credits === undefined || account.credits >= creditsRemaining;
  view.put(accounts, id, {
    ...account,
    ...(falls ? { credits: creditsRemaining, asOf: view.now } : {}),
    receiptsSince: account.receiptsSince + (isKnown ? 0 : creditsUsed),
  });
}

/** Counts what was charged and sent, for reports: by team, channelId, day and person. */
export function recordSpending(
  view: View,
  { record: { team, channelId, decidedBy: by = '' } }: SendDocument,
  spent: { credits: number; messages: number },
): void {
  const day = Math.floor(view.now / DAY_MS);
  const id = [team, channelId, day, by].join('/');
  const { credits, messages } = view.getAssumingAbsent(dailySpending, id) ?? { credits: 0, messages: 0 };
  view.put(dailySpending, id, {
    ...{ team, channelId, by, day },
    credits: credits + spent.credits,
    messages: messages + spent.messages,
  });
}

/** What a place's sends were charged, and how many messages were sent, from the day of `since` on. */
export function spentSince(view: View, team: string, channelId: string, since: number) {
  const from = keyText([team, channelId, Math.max(0, Math.floor(since / DAY_MS))]);
  const found = view.list(dailySpending, 'channels', { from, to: startingWith([team, channelId]).to });
  return {
    credits: found.reduce((sum, { value }) => sum + value.credits, 0),
    messages: found.reduce((sum, { value }) => sum + value.messages, 0),
  };
}

/** What is known of an account's credits; nothing before the first figure. */
export function account(view: View, id: string): AccountRecord | undefined {
  const found = view.get(accounts, id);
  if (found?.credits === undefined) return undefined;
  const { credits, asOf = 0, activity, baseline, receiptsSince } = found;
  return { id, credits, asOf, activity, ...(baseline ? { baseline: { ...baseline, receiptsSince } } : {}) };
}

/** The known credits, and the messages of the account that are on their way since before this attempt. */
export function funds(view: View, id: string, before: ChunkRef): { credits?: number; inFlight: number } {
  const account = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  const name = chunkIdOf(before);
  const [mine = 0] = account.inFlight[name] ?? [];
  const inFlight = Object.entries(account.inFlight)
    .filter(([other, [deadline]]) => other !== name && deadline <= mine)
    .reduce((sum, [, [, messages]]) => sum + messages, 0);
  return { ...(account.credits === undefined ? {} : { credits: account.credits }), inFlight };
}

/** The account's activity now; `idle`: nothing is on its way, and every unknown's deadline has passed. */
export function markBalanceRead(view: View, id: string): BalanceMarker {
  const { activity, inFlight, maybeInFlight } = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  const nothingSending = Object.keys(inFlight).length === 0;
  const isDoubtful = Object.values(maybeInFlight).some((deadline) => deadline > view.now);
  return { account: id, activity, nothingSending, idle: nothingSending && !isDoubtful };
}

/** Takes a balance read in: a rise, and a baseline, only where the account was quiet during it. */
export function recordBalance(
  view: View,
  marker: BalanceMarker,
  credits: number,
): { account: AccountRecord; quiet: boolean } {
  view.allowUnsynced();
  const { account: id } = marker;
  const after = markBalanceRead(view, id);
  const found = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  const isSettled = marker.nothingSending && after.activity === marker.activity;
  const quiet = isSettled && marker.idle && after.idle;
  // A figure that is not taken says nothing of how fresh the one is that stays.
  const isTaken = isSettled || found.credits === undefined || found.credits >= credits;
  const taken = isTaken ? { ...found, credits, asOf: view.now } : found;
  view.put(accounts, id, quiet && found.unexplained === 0 ? withNewAnchor(view, taken, credits) : taken);
  return { account: account(view, id) as AccountRecord, quiet };
}

function withNewAnchor(view: View, account: AccountDocument, credits: number): AccountDocument {
  return { ...account, baseline: { credits, at: view.now }, receiptsSince: 0 };
}

/** The account's unknown chunks without evidence, if there are any and its balance was ever read. */
export function evidenceCase(view: View, id: string): EvidenceCase | undefined {
  view.prefetch(addressOf(accounts, id));
  const names = view.list(chunks, 'unexplained', startingWith([id])).map(({ id: name }) => name);
  const record = account(view, id);
  if (!record || names.length === 0) return undefined;
  const unknowns = names.flatMap((name) => findChunk(view, chunkRefOf(name))?.record ?? []);
  return { account: record, unknowns, readyAt: Math.max(...unknowns.map(({ deadline = 0 }) => deadline)) };
}

/** Accounts that have unknown chunks without evidence. */
export function accountsWithUnknowns(view: View): string[] {
  return view.list(accounts, 'unexplained', startingWith([])).map(({ id }) => id);
}

/** Writes evidence and the new baseline; false where the account moved since the marker. */
export function recordEvidence(
  view: View,
  marker: BalanceMarker,
  credits: number,
  evidence: { ref: ChunkRef; evidence: Json }[],
): boolean {
  const { account: id } = marker;
  const after = markBalanceRead(view, id);
  if (!marker.idle || !after.idle || after.activity !== marker.activity) return false;
  const touched = new Map<string, SendDocument>();
  for (const { ref, evidence: said } of evidence) {
    const found = findChunk(view, ref);
    if (found?.document.state !== 'unknown' || found.document.account !== id) continue;
    const explained: ChunkDocument = { ...found.document, evidence: said };
    view.put(chunks, chunkIdOf(ref), explained);
    updateAccountForChunk(view, id, { ref, was: found.document, is: explained });
    touched.set(ref.send, found.send);
  }
  const explained = view.get(accounts, id) ?? EMPTY_ACCOUNT;
  if (explained.unexplained === 0) view.put(accounts, id, withNewAnchor(view, explained, credits));
  for (const { record } of touched.values()) {
    if (hasEnded(record) || record.kind === 'job') announceTopics(view, record);
  }
  return true;
}
