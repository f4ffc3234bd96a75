import { type BudgetsLeft, type ShortBudget, shortBudget } from '../../core/budgets/budgets.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Estimate } from '../../core/sends/estimate.ts';
import type { LastBalance } from '../../core/sends/send-details.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import type { Fact } from './blocks.ts';
import { quoted } from './safe-text.ts';
import { estimatedCredits, PRICE_UNKNOWN, time } from './words.ts';

/** What the previews of a text and of a list have in common. */

export function costFact(estimate: Estimate): Fact {
  const why = estimate.least === undefined ? '' : `: ${PRICE_UNKNOWN}`;
  return ['Cost', `${estimatedCredits(estimate)}${why}`];
}

/** The budget that a draft does not fit into. A resend frees what its first texts hold: only the ledger knows whether it fits. */
export function shortBudgetOf(
  { resends, details }: SendView | JobView,
  budgets: BudgetsLeft,
): ShortBudget | undefined {
  return resends ? undefined : shortBudget(budgets, details.estimate, details.by);
}

/** The warning where the service could not be asked, and the last known balance does not cover the estimate. */
export function perhapsShort(estimate: Estimate, last: LastBalance | undefined): string | undefined {
  if (!last || last.credits >= estimate.credits) return undefined;
  return '⚠️ *Perhaps not enough credits:* you can send all the same, and the service decides.';
}

/** As small print: who pays, and how long there is to decide. */
export function draftSmallPrint(instanceName: string, { expiresAt }: SendView | JobView): string {
  return `Instance ${quoted(instanceName)} · expires at ${time(expiresAt)}`;
}
