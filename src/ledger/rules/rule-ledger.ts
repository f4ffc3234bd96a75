import type { Steps } from '../../store/steps.ts';
import type { BudgetPeriod } from '../model/budget-types.ts';
import type { SameWords, Words } from '../model/repeat-types.ts';
import type { SendRecord } from '../model/types.ts';
import { prefetchBudget } from './budget-rules.ts';
import { heldBackLately } from './held-back.ts';
import * as guard from './repeat-guard.ts';
import { budgets } from './rule-documents.ts';

/** What budgets and the repeat guard know. */
export interface RuleLedger {
  /** The newest send that brought these words to this number, or is about to: what a decision would refuse. */
  sameWords(team: string, hash: string): Promise<SameWords | undefined>;
  /** How many texts the repeat guard held back in a channel within the last 7 days, by UTC. */
  heldBackLately(team: string, channelId: string): Promise<number>;
  /** Which of these words another send brought to their numbers, or is about to. */
  whichRepeat(team: string, hashes: string[]): Promise<Set<string>>;
  /**
   * Claims the words of a job's chunk for an attempt, message by message, before its request. Returns the places of
   * messages that another send brings: they must not be sent, and are not claimed. Undefined if the attempt is over.
   */
  claimChunk(
    send: SendRecord,
    attempt: { index: number; token: string; words: Words[] },
  ): Promise<number[] | undefined>;
  /** Budgets' periods by their ids, in this order; undefined if nothing was decided in one. */
  budgets(ids: string[]): Promise<(BudgetPeriod | undefined)[]>;
}

export function createRuleLedger(run: Steps['run']): RuleLedger {
  return {
    sameWords: (team, hash) => run((view) => guard.sameWords(view, team, hash)),
    heldBackLately: (team, channelId) => run((view) => heldBackLately(view, team, channelId)),
    whichRepeat: async (team, hashes) => new Set(await run((view) => guard.whichRepeat(view, team, hashes))),
    claimChunk: (send, attempt) => run((view) => guard.claimChunk(view, send, attempt), 'words'),
    budgets: (ids) =>
      run((view) => {
        prefetchBudget(view, ids);
        return ids.map((id) => view.get(budgets, id));
      }),
  };
}
