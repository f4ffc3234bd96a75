import type { Steps } from '../../store/steps.ts';
import type { OptOutRecord, OptOutRequest, RenewSealed } from './opt-out-types.ts';
import * as optOuts from './opt-outs.ts';

/** Numbers that must get no texts. */
export interface OptOutLedger {
  /**
   * Opts numbers out, or in again: all of them or none. A number that is so already stays as it is. Returns how many it
   * changed.
   */
  changeOptOuts(request: OptOutRequest): Promise<number>;
  /** What the ledger knows of a number; undefined if it was never opted out, or was opted in long ago. */
  optOut(team: string, hash: string): Promise<OptOutRecord | undefined>;
  /** Which of these numbers are opted out, as the store says now. One read. */
  whichOptedOut(team: string, hashes: string[]): Promise<Set<string>>;
  /** Numbers that are opted out, the newest first; those after `before`, if given. */
  listOptOuts(team: string, page: { before?: OptOutRecord; limit: number }): Promise<OptOutRecord[]>;
  countOptOuts(team: string): Promise<number>;
  /** Workspaces that ever had an opt-out. */
  teamsWithOptOuts(): Promise<string[]>;
  /**
   * Erases a number from the opt-outs, with all reasons. One that holds is kept by its hash alone: nobody may be texted
   * again because they were erased.
   */
  eraseOptOut(team: string, hash: string): Promise<'none' | 'deleted' | 'kept'>;
  /** Deletes some opt-outs that were taken back until `before`. Returns how many; 0 when none is left. */
  deleteOldOptIns(before: number): Promise<number>;
  /** Deletes all opt-outs of all workspaces: nobody can read them once their keys are lost. Returns how many held. */
  forgetOptOuts(): Promise<number>;
  /** Seals the opt-outs of all workspaces again, one at a time. Returns how many had another seal. */
  resealOptOuts(renew: RenewSealed): Promise<number>;
}

export function createOptOutLedger({ run, steps }: { run: Steps['run']; steps: Steps }): OptOutLedger {
  return {
    changeOptOuts: (request) => run((view) => optOuts.changeOptOuts(view, request), 'opt-outs'),
    optOut: (team, hash) => run((view) => optOuts.optOut(view, team, hash)),
    whichOptedOut: (team, hashes) => run((view) => optOuts.whichOptedOut(view, team, hashes)),
    listOptOuts: (team, page) => run((view) => optOuts.listOptOuts(view, team, page)),
    countOptOuts: (team) => run((view) => optOuts.countOptOuts(view, team)),
    teamsWithOptOuts: () => run(optOuts.teamsWithOptOuts),
    eraseOptOut: (team, hash) => run((view) => optOuts.eraseOptOut(view, team, hash), 'opt-outs'),
    deleteOldOptIns: (before) => run((view) => optOuts.deleteOldOptIns(view, before), 'opt-outs'),
    forgetOptOuts: () => optOuts.forgetOptOuts(steps),
    resealOptOuts: (renew) => optOuts.resealOptOuts(steps, renew),
  };
}
