import { startingWith } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import { countActivity, putChunk } from '../accounts/accounts.ts';
import type { Settlement } from '../model/attempt-types.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import { withChunkChanged } from '../model/chunk-progress.ts';
import { defined } from '../model/defined.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { chunkDocumentOf, chunkRecordOf, type FoundChunk, indexesFrom } from '../model/read-chunks.ts';
import type { Words } from '../model/repeat-types.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { beginOf, isUndecidedSend, isUnderWay } from '../model/send-states.ts';
import { announceRequest } from '../rules/approvals.ts';
import { putSend } from '../rules/put-send.ts';
import { claimWords } from '../rules/repeat-guard.ts';
import { claimResends, findResends } from '../unknowns/unknowns.ts';

/**
 * A store that fails over may forget its last writes. So a bot may have taken a single text that seems to wait. The
 * ledger presumes that it was: pending → sending, with a deadline, and without the token that nobody knows. If a bot
 * still has that attempt, its answer counts. Otherwise the text becomes unknown. A list's chunk goes on waiting, since the
 * balance tells whether it may go on; a bot's answer counts, too. Somebody may also have sent a draft that seems
 * undecided. So the next person who sends it must know that.
 */

/** What a process knows of an attempt that it made itself. */
export interface MadeAttempt {
  rateLimitKey: string;
  account: string;
  /** Which attempt of its chunk it was, from 1. */
  attempt: number;
  /** The send as it was decided. */
  send: SendRecord;
  /** The process wrote the end of the attempt before, and does not know whether the store has it. */
  isRepeated?: boolean;
  /** How the repeat guard knows its messages, in their order; none if the guard does not ask about them. */
  words?: Words[];
}

/**
 * What a store may have forgotten: that bots took texts at `begunBefore` or earlier (ms, the store's clock). With `doubt`
 * also requests of jobs from then, and that somebody sent a draft. These must say `doubt`.
 */
export interface Forgotten {
  begunBefore: number;
  doubt?: string;
}

/** Ids of the sends that may lack a step in this store. */
export function perhapsForgotten(view: View, what: Forgotten): string[] {
  const found = view.together<ListedDocument<SendDocument>[][]>(
    () => view.list(sends, 'open', startingWith([])),
    () => (what.doubt === undefined ? [] : view.list(sends, 'drafts', startingWith([]))),
  );
  const records = found.flat().map(({ value }) => value.record);
  return records.filter((each) => isTextBegunBefore(each, what) || markOf(each, what)).map(({ id }) => id);
}

/**
 * What a draft from then, or a job that nobody has worked on since then, must say; undefined if nothing, or if it says so
 * already.
 */
function markOf(record: SendRecord, { begunBefore, doubt }: Forgotten): Partial<SendRecord> | undefined {
  if (doubt === undefined) return undefined;
  if (isUndecidedSend(record.state)) {
    const isMarked = record.mayBeSent === doubt;
    return record.createdAt <= begunBefore && !isMarked ? { mayBeSent: doubt } : undefined;
  }
  if (record.kind !== 'job' || !isUnderWay(record.state) || record.mayLackRequests === doubt)
    return undefined;
  const servedAt = Math.max(beginOf(record), record.servedAt ?? 0);
  return servedAt <= begunBefore ? { mayLackRequests: doubt } : undefined;
}

function isTextBegunBefore(record: SendRecord, { begunBefore }: Forgotten): boolean {
  return record.kind === 'single' && record.state === 'running' && beginOf(record) <= begunBefore;
}

/** Presumes that the store has forgotten a step of this send, if that may be. */
export function presumeForgotten(view: View, id: string, what: Forgotten, limits: LedgerLimits): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record } = send;
  if (isTextBegunBefore(record, what)) presumeTaken(view, send, limits);
  const mark = markOf(record, what);
  if (mark) putSend(view, id, { ...send, record: { ...record, ...mark } });
}

/**
 * pending → sending. No request may follow. If the text is on its way, notes that the store may have forgotten a later
 * attempt.
 */
function presumeTaken(view: View, send: SendDocument, limits: LedgerLimits): void {
  const { id } = send.record;
  const ref = { send: id, index: 0 };
  const was = chunkDocumentOf(view, send, ref);
  if (was.state === 'sending' && was.token !== undefined) {
    putChunk(view, ref, was, { ...was, mayHaveEnded: true });
  }
  if (was.state !== 'pending') return;
  // An answer to the attempt before must not make it wait again.
  const { token: _before, notBefore: _spent, ...rest } = was;
  const account = was.account ?? send.record.account;
  const deadline = view.now + limits.leaseMs;
  const is: ChunkDocument = { ...rest, state: 'sending', deadline, ...defined({ account }) };
  const { ifUndone: _over, ...record } = send.record;
  putChunk(view, ref, was, is);
  putSend(view, id, { ...withChunkChanged(send, ref.index, was, is), record });
  if (account !== undefined) countActivity(view, account);
}

/**
 * Whether the store has forgotten this attempt: each take counts the chunk's attempts up. If somebody sent the messages
 * anyway, and the 429 of a later attempt makes them wait, this attempt's answer still saves them a request.
 */
export function isAttemptForgotten(
  { send, document, record }: FoundChunk,
  token: string,
  made: MadeAttempt,
): boolean {
  // Splits that the store has forgotten may have given a part's index to other messages.
  if (record.index >= send.work.drafted) return false;
  const { mayBeSent } = send.record;
  const { state, token: last, sentBefore } = document;
  // `sentBefore`: this answer counts already.
  const waits = state === 'pending' && last !== token && sentBefore === undefined;
  return made.attempt > document.attempt || (waits && mayBeSent !== undefined);
}

/**
 * Whether an answer to a forgotten attempt counts. Without a request, the store may have forgotten another attempt after
 * this one.
 */
export function endsForgotten({ to }: Settlement): boolean {
  return to !== 'pending' && to !== 'not_sent' && to !== 'split';
}

/** Whether the store may have the end of this attempt already, and may have forgotten it with a later attempt. */
export function mayBeOver({ document }: FoundChunk, made: MadeAttempt, settlement: Settlement): boolean {
  return document.mayHaveEnded === true && made.isRepeated === true && !endsForgotten(settlement);
}

/** The text with the decision that led to this attempt, if the store has forgotten that, too. */
export function withForgottenDecision(view: View, found: FoundChunk, { send }: MadeAttempt): FoundChunk {
  if (send.kind === 'job' || !isUndecidedSend(found.send.record.state)) return found;
  const again = send.resends && findResends(view, send.resends);
  if (Array.isArray(again)) claimResends(view, again, send.id);
  announceRequest(view, send);
  return { ...found, send: { ...found.send, record: send } };
}

/** The chunk with the attempt that the store has forgotten; undefined if the chunk has an outcome. */
export function withForgottenAttempt(
  view: View,
  found: FoundChunk,
  token: string,
  made: MadeAttempt,
): FoundChunk | undefined {
  const { send: before, document: was, record } = found;
  const { index } = record;
  // An earlier attempt that is still there ended without a request.
  const isTaken = was.state === 'sending' || was.state === 'unknown';
  // A chunk that somebody stopped was not cancelled after all.
  const seemsOpen = isUnderWay(before.record.state) ? was.state === 'pending' : was.state === 'cancelled';
  const isWaiting = seemsOpen && !view.isDamaged(chunks, chunkIdOf(record));
  if (!isWaiting && !isTaken) return undefined;
  const { notBefore: _spent, mayHaveEnded: _over, ...rest } = was;
  const document: ChunkDocument = {
    ...rest,
    state: was.state === 'unknown' ? 'unknown' : 'sending',
    token,
    attempt: made.attempt,
    rateLimitKey: made.rateLimitKey,
    // Its account counts an unknown chunk already. Without one, nobody does.
    ...(was.state !== 'unknown' && { account: was.account ?? made.account }),
  };
  const send = withChunkChanged(withEarlierTaken(view, doubted(before), index), index, was, document);
  // The store has forgotten the claims with the decision, or with the attempt.
  for (const [place, words] of (made.words ?? []).entries())
    claimWords(view, before.record, words, { index, place });
  return { send, document, record: chunkRecordOf(record, document, record.messages) };
}

/** The store may lack requests of other bots, too: the balance decides whether a list goes on. */
function doubted(send: SendDocument): SendDocument {
  const { kind, state, mayLackRequests = true } = send.record;
  return kind === 'job' && isUnderWay(state)
    ? { ...send, record: { ...send.record, mayLackRequests } }
    : send;
}

/** The send as if the drafted chunks before this one had been taken: those that never were wait like others. */
function withEarlierTaken(view: View, send: SendDocument, index: number): SendDocument {
  const { record, work } = send;
  const earlier = indexesFrom(work.next, index);
  if (earlier.length === 0) return send;
  for (const each of earlier) {
    const ref = { send: record.id, index: each };
    view.put(chunks, chunkIdOf(ref), chunkDocumentOf(view, send, ref));
  }
  const back = { ...work.back, ...Object.fromEntries(earlier.map((each) => [each, 0])) };
  return { ...send, work: { ...work, next: index, back } };
}
