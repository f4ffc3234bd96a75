import type { Steps } from '../../store/steps.ts';
import type { View } from '../../store/view.ts';
import { asMethods } from '../model/as-methods.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import { prefetchBudget } from './budget-rules.ts';
import { heldBackLately } from './held-back.ts';
import { claimChunk, sameWords, whichRepeat } from './repeat-guard.ts';
import { budgets as periods } from './rule-documents.ts';

/** What budgets and the repeat guard know. */
export function createRuleLedger(run: Steps['run']) {
  return {
    ...asMethods(run, { sameWords, whichRepeat, heldBackLately, budgets }),
    ...asMethods(run, { claimChunk }, 'words'),
  };
}

/** Budgets' periods by their ids, in this order; undefined if nothing was decided in one. */
function budgets(view: View, ids: string[]): (BudgetPeriod | undefined)[] {
  prefetchBudget(view, ids);
  return ids.map((id) => view.get(periods, id));
}
