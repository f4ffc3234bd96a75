import type { View } from '../store/view.ts';
import { type AccountDocument, accounts, type ChunkDocument, chunkIdOf } from './documents.ts';
import type { ChunkRef, Receipt } from './types.ts';
import { without } from './without.ts';

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
  const { state, deadline = 0, size } = is;
  let inFlight = without(account.inFlight, name);
  let maybeInFlight = without(account.maybeInFlight, name);
  if (state === 'sending') inFlight = { ...inFlight, [name]: [deadline, size] };
  if (state === 'unknown' && deadline > view.now) maybeInFlight = { ...maybeInFlight, [name]: deadline };
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

/** The account with a baseline at this figure. */
export function withNewBaseline(view: View, account: AccountDocument, credits: number): AccountDocument {
  return { ...account, baseline: { credits, at: view.now }, receiptsSince: 0 };
}
