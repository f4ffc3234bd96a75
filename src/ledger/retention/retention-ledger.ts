import type { Steps } from '../../store/steps.ts';
import { type Erasure, erase } from './erase.ts';
import { type Exported, exportTeam } from './export-team.ts';
import * as retention from './retention.ts';
import type { ForgetRequest, Remains } from './retention-types.ts';

/** What is forgotten, erased and handed out. */
export interface RetentionLedger {
  /** The first workspace after `team` (by id) with ended sends that have words or numbers, and when the oldest one ended. */
  nextKept(team?: string): Promise<{ team: string; endedAt: number } | undefined>;
  /**
   * Forgets words and numbers of some sends that ended until `endedBefore`, and deletes drafts that nobody sent. It
   * keeps unknown chunks that a person may still decide, sends with a message to Slack that is not posted yet, and
   * chunks that are not in the look-up yet. Returns how many sends it worked on: 0 when there is nothing left to do
   * now.
   */
  forgetEnded(request: ForgetRequest): Promise<number>;
  /** Forgets the undecided unknown chunks, too, of some sends that ended until `endedBefore`. Returns how many sends. */
  forgetUndecided(endedBefore: number, remains: Remains): Promise<number>;
  /** Deletes some forgotten sends that ended until `endedBefore`. Returns how many it worked on; 0 when none is left. */
  deleteForgotten(endedBefore: number): Promise<number>;
  /** Deletes budgets whose period ended until then, as many as one step may. Says how many. */
  deleteBudgets(endedBefore: number): Promise<number>;
  /**
   * Deletes some messages to Slack that are about no send and were posted until `before`. Deletes some named states, too,
   * that were over `slackMs` before that. Returns how many.
   */
  deleteOver(before: number, slackMs: number): Promise<number>;
  /**
   * Erases a number (its digits) and its texts from the sends and chunks of all workspaces, and from the repeat guard.
   * Those that are open, or unknown and undecided, stay as they are. Returns how many were erased, and how many stay.
   */
  erase(phone: string, how: Erasure): Promise<{ erased: number; open: number }>;
  /** Every document of a workspace, and of the accounts that pay for it, with its kind; in no promised order. */
  exportTeam(team: string, accounts: string[]): AsyncIterable<Exported>;
}

export function createRetentionLedger({ run, steps }: { run: Steps['run']; steps: Steps }): RetentionLedger {
  return {
    nextKept: (team) => run((view) => retention.nextKept(view, team)),
    forgetEnded: (request) => run((view) => retention.forgetEnded(view, request), 'retention'),
    forgetUndecided: (endedBefore, remains) =>
      run((view) => retention.forgetUndecided(view, endedBefore, remains), 'retention'),
    deleteForgotten: (endedBefore) =>
      run((view) => retention.deleteForgotten(view, endedBefore), 'retention'),
    deleteBudgets: (endedBefore) => run((view) => retention.deleteBudgets(view, endedBefore), 'retention'),
    deleteOver: (before, slackMs) => run((view) => retention.deleteOver(view, before, slackMs), 'retention'),
    erase: (phone, how) => erase(steps, phone, how),
    exportTeam: (team, accounts) => exportTeam(steps, team, accounts),
  };
}
