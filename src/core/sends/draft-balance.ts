import type { Instance } from '../../records/schema.ts';
import type { Credit } from '../accounts/credit.ts';
import type { CreditsShort } from './decision-answers.ts';
import type { Estimate } from './estimate.ts';
import type { LastBalance } from './send-details.ts';

/** A balance this old is good enough for a preview, in ms. */
export const BALANCE_FOR_DRAFT_MS = 30_000;

/** The refusal if fresh credits do not cover the most that the estimate may take. */
export function shortBalance(
  { credits, least }: Estimate,
  available: number | undefined,
): CreditsShort | undefined {
  if (available === undefined || available >= credits) return undefined;
  return { kind: 'credits_short', needed: credits, ...(least !== undefined && { least }), available };
}

/** The balance for a preview; the last known one if the service can’t be asked, or none. */
export async function balanceFor(
  credit: Pick<Credit, 'recent' | 'askIfShort' | 'known'>,
  instance: Instance,
  { credits }: Estimate,
): Promise<{ balance?: number; lastBalance?: LastBalance }> {
  const recent = await credit.recent(instance, BALANCE_FOR_DRAFT_MS);
  const balance = await credit.askIfShort(instance, recent, credits);
  if (balance !== undefined) return { balance };
  const known = await credit.known(instance);
  return known ? { lastBalance: { credits: known.credits, at: known.asOf } } : {};
}
