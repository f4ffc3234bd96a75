import { defined } from '../../ledger/model/defined.ts';
import type { Instance } from '../../records/schema.ts';
import type { Credit } from '../accounts/credit.ts';
import type { CreditsShort } from './decision-answers.ts';
import type { Estimate } from './estimate.ts';
import type { LastBalance } from './send-details.ts';

/** The oldest balance that a preview shows without asking again, in ms. */
export const BALANCE_FOR_DRAFT_MS = 30_000;

/** Refuses if the balance does not cover the upper estimate. Undefined if it does, or if we don't know the balance. */
export function shortBalance(
  { credits, least }: Estimate,
  available: number | undefined,
): CreditsShort | undefined {
  if (available === undefined || available >= credits) return undefined;
  return { kind: 'credits_short', needed: credits, ...(least !== undefined && { least }), available };
}

/** The balance for a preview. If the service gives none, the last known balance; empty if we know none. */
export async function balanceFor(
  credit: Pick<Credit, 'recent' | 'askIfShort' | 'known'>,
  instance: Instance,
  { credits }: Estimate,
): Promise<{ balance?: number; lastBalance?: LastBalance }> {
  const recent = await credit.recent(instance, BALANCE_FOR_DRAFT_MS);
  const balance = await credit.askIfShort(instance, recent, credits);
  if (balance !== undefined) return { balance };
  return defined({ lastBalance: await credit.known(instance) });
}
