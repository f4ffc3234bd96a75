import type { View } from '../../store/view.ts';
import type { Receipt } from '../model/attempt-types.ts';
import { type ChunkDocument, chunkIdOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import { without } from '../model/entries.ts';
import { beginDay, beginStatement, bookedCredits, moveDifference, noteDifference } from './account-days.ts';
import { accounts } from './account-documents.ts';
import { findAccount } from './find-account.ts';
import type { BalanceDifference } from './statement-types.ts';

/**
 * Puts a chunk whose state, deadline or evidence changes. Counts the difference in its account: chunks on their way,
 * unknown, or without evidence. `was` is undefined for a new chunk.
 */
export function putChunk(view: View, ref: ChunkRef, was: ChunkDocument | undefined, is: ChunkDocument): void {
  const name = chunkIdOf(ref);
  const { account: id, state, deadline = 0, size } = is;
  const isCounted = id !== undefined && (mayBeCharged(was) || mayBeCharged(is));
  const account = isCounted ? findAccount(view, id) : undefined;
  view.put(chunks, name, is);
  if (!account || id === undefined) return;
  const entry: (typeof account.inFlight)[number] = [name, deadline, size];
  // An attempt that is put again keeps its place: `funds` goes by the order in which they were taken.
  const found = account.inFlight.findIndex(([other]) => other === name);
  const place = found === -1 ? account.inFlight.length : found;
  const inFlight = account.inFlight.toSpliced(place, 1, ...(state === 'sending' ? [entry] : []));
  let maybeInFlight = without(account.maybeInFlight, name);
  if (state === 'unknown' && deadline > view.now) maybeInFlight = { ...maybeInFlight, [name]: deadline };
  const unexplained = account.unexplained - (isUnexplained(was) ? 1 : 0) + (isUnexplained(is) ? 1 : 0);
  view.put(accounts, id, { ...account, inFlight, maybeInFlight, unexplained });
}

/** Whether its account keeps the chunk: the service may still charge for it. */
function mayBeCharged(chunk: ChunkDocument | undefined): boolean {
  return chunk?.state === 'sending' || chunk?.state === 'unknown';
}

function isUnexplained(chunk: ChunkDocument | undefined): boolean {
  return chunk?.state === 'unknown' && chunk.evidence === undefined;
}

/** Counts an intent or a settlement. If the count changes during a balance read, that read was not quiet. */
export function countActivity(view: View, id: string): void {
  const account = findAccount(view, id);
  view.put(accounts, id, { ...account, activity: account.activity + 1 });
}

/**
 * Books an answer's charge: the known credits fall at once, and the receipt carries the baseline forward. If evidence
 * found the charge before, the baseline has it already. A figure from after the chunk's deadline stays: somebody may
 * have topped up since. Returns whether the account's statement counts the receipt.
 */
export function recordReceipt(view: View, id: string, receipt: Receipt, was: ChunkDocument): boolean {
  const account = beginDay(view, id, findAccount(view, id));
  const isKnown = was.evidence !== undefined;
  const { creditsUsed, creditsRemaining } = receipt;
  const { deadline = Number.POSITIVE_INFINITY } = was;
  const isOlder = was.state === 'unknown' && (account.asOf ?? 0) > deadline;
  const falls = account.credits === undefined || (account.credits >= creditsRemaining && !isOlder);
  view.put(accounts, id, {
    ...account,
    ...(falls ? { credits: creditsRemaining, asOf: view.now } : {}),
    receiptsSince: account.receiptsSince + (isKnown ? 0 : creditsUsed),
  });
  if (!isKnown) return account.statementDay !== undefined;
  const { chargeFound } = was;
  if (chargeFound === undefined) return false;
  return moveDifference(view, id, { unknown: chargeFound, unclear: creditsUsed - chargeFound });
}

/** A late answer says that an unknown chunk cost nothing: somebody else spent the credits that its evidence found. */
export function takeChargeBack(view: View, id: string, { chargeFound = 0 }: ChunkDocument): void {
  if (chargeFound !== 0) moveDifference(view, id, { unknown: chargeFound, unclear: -chargeFound });
}

/**
 * Makes this figure the account's baseline, and notes in its statement the difference that receipts don't explain.
 * `evidence`: by this figure, unknown messages cost `charges` credits; perhaps nobody else used the rest. Returns the
 * difference without these charges.
 */
export function rebase(
  view: View,
  id: string,
  credits: number,
  evidence?: { charges: number },
): BalanceDifference | undefined {
  const { hasLostBooks: _over, ...account } = findAccount(view, id);
  const baseline = { credits, at: view.now };
  const rebased = { ...account, baseline, receiptsSince: 0 };
  if (!account.baseline || account.statementDay === undefined) {
    view.put(accounts, id, beginStatement(view, id, rebased));
    return undefined;
  }
  const gone = credits - bookedCredits(account);
  const charges = evidence?.charges ?? 0;
  if (gone === 0 && charges === 0) {
    view.put(accounts, id, rebased);
    return undefined;
  }
  const { statementDay = 0 } = beginDay(view, id, account);
  view.put(accounts, id, { ...rebased, statementDay });
  // Somebody may have set the clock back since.
  const span = { from: Math.min(account.baseline.at, view.now), to: view.now };
  noteDifference(view, id, { kind: 'unknown', ...span, credits: -charges });
  const rest = gone + charges;
  const kind = rest > 0 ? 'topped_up' : evidence ? 'unclear' : 'elsewhere';
  const difference: BalanceDifference = { kind, ...span, credits: rest };
  noteDifference(view, id, difference);
  return difference;
}
