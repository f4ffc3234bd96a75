import type { EvidenceCase } from '../../ledger/unknowns/evidence.ts';
import type { Evidence } from '../sends/chunk-result.ts';
import { mayArriveUntil } from '../sends/may-arrive.ts';
import type { PriceBook } from '../sends/prices.ts';

/**
 * What the balance says of an account's unknown messages. A charge proves no delivery, and somebody else may use the key.
 * So a verdict says "probably" at most.
 *
 * @param credits the balance now, read while the account was quiet
 * @param cost what the unknown messages cost by this account's receipts; undefined when they don't tell
 * @param mayBeFree whether one of them may have cost nothing
 */
export function judge(
  { account, unknowns }: EvidenceCase,
  credits: number,
  { cost, mayBeFree }: { cost: number | undefined; mayBeFree: boolean },
): Evidence {
  const { booked: before } = account;
  if (before === undefined) return { verdict: 'none' };
  const messages = unknowns.reduce((sum, chunk) => sum + chunk.messages.length, 0);
  const figures = { before, after: credits, messages };
  const drop = before - credits;
  if (drop < 0) return { verdict: 'topped_up', ...figures };
  // The balance tells nothing about free texts.
  if (mayBeFree) return { verdict: 'none' };
  if (drop === 0) return { verdict: 'probably_not_sent', ...figures };
  if (cost === undefined) return { verdict: 'none' };
  return { verdict: drop === cost ? 'probably_sent' : 'undecided', ...figures };
}

/**
 * Whether the service may get one of these requests later than now (ms, the store's clock). With evidence, people can
 * resend the text: then it would go out twice. A charge shows that the request has arrived.
 */
export function isTooEarly({ unknowns }: EvidenceCase, { verdict }: Evidence, now: number): boolean {
  return verdict !== 'probably_sent' && unknowns.some((chunk) => now < mayArriveUntil(chunk));
}

/** The charges that this evidence shows, in whole credits; none if it shows no figure. */
export async function chargesBy(
  prices: Pick<PriceBook, 'costOf'>,
  { verdict }: Evidence,
  { account, unknowns }: EvidenceCase,
): Promise<number[]> {
  if (verdict === 'probably_not_sent') return unknowns.map(() => 0);
  if (verdict !== 'probably_sent') return [];
  const costs = await Promise.all(unknowns.map((chunk) => prices.costOf(account.id, [chunk])));
  // Round the running total, so that the charges add up to the cost.
  let cost = 0;
  let charged = 0;
  return costs.map((one = 0) => {
    cost += one;
    const charge = Math.round(cost) - charged;
    charged += charge;
    return charge;
  });
}
