import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import type { PermitRequest, Wait } from '../model/attempt-types.ts';
import { chunkIdOf, chunkRefOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { sends } from '../model/send-documents.ts';
import { endPermit, takePermit } from '../permits/lone-permits.ts';
import { keyPermits } from '../permits/permit-documents.ts';
import { bookedCredits } from './account-days.ts';
import { type AccountDocument, accounts } from './account-documents.ts';
import type { AccountRecord, BalanceMarker, RecordedBalance } from './account-types.ts';
import { rebase } from './accounts.ts';
import { findAccount } from './find-account.ts';

/** An account's credits; undefined before the first figure. */
export function account(view: View, id: string): AccountRecord | undefined {
  const found = view.get(accounts, id);
  if (found?.credits === undefined) return undefined;
  const { credits, asOf = 0, activity, baseline } = found;
  const books = baseline && { booked: bookedCredits(found), baselineAt: baseline.at };
  return { id, credits, asOf, activity, ...books };
}

/** Attempts on their way. If the store has lost the send of an attempt, its deadline alone ends it. */
function inFlightOf(view: View, { inFlight }: AccountDocument): AccountDocument['inFlight'] {
  return inFlight.filter(
    ([name, deadline]) => deadline > view.now || view.get(sends, chunkRefOf(name).send) !== undefined,
  );
}

/**
 * The known credits of the account. `inFlight`: how many of its messages went out before the attempt on the chunk
 * `before`, and have no answer yet.
 */
export function funds(view: View, id: string, before: ChunkRef): { credits?: number; inFlight: number } {
  const account = findAccount(view, id);
  const { credits } = account;
  const all = inFlightOf(view, account);
  const name = chunkIdOf(before);
  const place = all.findIndex(([other]) => other === name);
  const [, mine = 0] = all[place] ?? [];
  // Attempts of one moment are in the order in which they were taken.
  const inFlight = all
    .filter(([, deadline], at) => deadline < mine || (deadline === mine && at < place))
    .reduce((sum, [, , messages]) => sum + messages, 0);
  return { ...(credits === undefined ? {} : { credits }), inFlight };
}

/** Marks the account before a balance read. `idle`: nothing is on its way, and all unknowns' deadlines are over. */
export function markBalanceRead(view: View, id: string): BalanceMarker {
  const account = findAccount(view, id);
  const { activity, maybeInFlight, baseline, hasLostBooks } = account;
  const nothingSending = inFlightOf(view, account).length === 0;
  const isDoubtful = Object.values(maybeInFlight ?? {}).some((deadline) => deadline > view.now);
  const idle = nothingSending && !isDoubtful;
  const marker = { account: id, activity, nothingSending, idle };
  return { ...marker, ...(baseline && { baselineAt: baseline.at }), ...(hasLostBooks && { hasLostBooks }) };
}

/** A permit for a balance read and the read's marker, in one step. */
export function permitBalanceRead(
  view: View,
  id: string,
  request: PermitRequest,
  limits: LedgerLimits,
): { kind: 'taken'; marker: BalanceMarker } | Wait {
  const { rateLimitKey, token } = request;
  view.prefetch(keyPermits, rateLimitKey);
  view.prefetch(accounts, id);
  const wait = takePermit(view, request, limits);
  return wait ?? { kind: 'taken', marker: { ...markBalanceRead(view, id), permit: { rateLimitKey, token } } };
}

/** Whether unknown chunks wait for evidence. The account still counts a chunk that the store has lost. */
function hasUnexplained(view: View, id: string): boolean {
  const { unexplained } = findAccount(view, id);
  return unexplained > 0 && view.list(chunks, 'unexplained', startingWith([id]), { limit: 1 }).length > 0;
}

/**
 * Records a balance figure. The figure raises the credits only if no request of the account ran meanwhile (`isSettled`).
 * It becomes the baseline only if the account was also `quiet`. Ends the marker's permit, if it has one, as answered.
 */
export function recordBalance(
  view: View,
  marker: BalanceMarker,
  credits: number,
  limits: LedgerLimits,
): RecordedBalance {
  view.allowUnsynced();
  const { account: id, permit } = marker;
  if (permit) endPermit(view, permit, 'answered', limits);
  const after = markBalanceRead(view, id);
  const found = findAccount(view, id);
  const isSettled = marker.nothingSending && after.activity === marker.activity;
  const quiet = isSettled && marker.idle && after.idle;
  // Two reads at once may be recorded in the wrong order: the earlier one must not undo the later one.
  const isLatest = after.baselineAt === marker.baselineAt;
  const isTaken = isLatest && (isSettled || found.credits === undefined || found.credits >= credits);
  const taken = isTaken ? { ...found, credits, asOf: view.now } : found;
  view.put(accounts, id, taken);
  const unclear = marker.hasOwnCharge && { charges: 0 };
  const canRebase = quiet && isLatest && !hasUnexplained(view, id);
  const difference = canRebase ? rebase(view, id, credits, unclear) : undefined;
  return { account: account(view, id) as AccountRecord, isSettled, quiet, ...(difference && { difference }) };
}
