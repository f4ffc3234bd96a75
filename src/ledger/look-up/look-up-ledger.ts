import type { Steps } from '../../store/steps.ts';
import type { HashNumber } from './hash-number.ts';
import type { LeafEntry } from './number-leaf.ts';
import * as numbers from './numbers.ts';

/** The look-up by number: a power cut may undo `listNumbers`, `forgetNumber` and `deleteOldEntries`, and the bot then does the work again. */
export interface LookUpLedger {
  /**
   * Adds some messages whose outcome is new to the look-up by number, each once. True while more may wait. A power cut may
   * undo this method and those below: the bot then does the work again.
   */
  listNumbers(hashOf: HashNumber): Promise<boolean>;
  /** The messages to a number whose sends were decided since `since`, oldest first; of very many only the newest. */
  lookUp(team: string, hash: string, since: number): Promise<LeafEntry[]>;
  /** Workspaces that have something in the look-up. */
  teamsInLookUp(): Promise<string[]>;
  /** Deletes a number from the look-up. Returns how many messages it deleted. */
  forgetNumber(team: string, hash: string): Promise<number>;
  /**
   * Deletes entries older than `before`, some at a time, from leaves that have one older than `due`: so each leaf is
   * rewritten once for many entries. True while there may be more.
   */
  deleteOldEntries(before: number, due: number): Promise<boolean>;
}

export function createLookUpLedger(run: Steps['run']): LookUpLedger {
  return {
    listNumbers: (hashOf) => run((view) => numbers.listNumbers(view, hashOf), 'numbers'),
    lookUp: (team, hash, since) => run((view) => numbers.lookUp(view, team, hash, since)),
    teamsInLookUp: () => run(numbers.teamsInLookUp),
    forgetNumber: (team, hash) => run((view) => numbers.forgetNumber(view, team, hash), 'numbers'),
    deleteOldEntries: (before, due) => run((view) => numbers.deleteOldEntries(view, before, due), 'numbers'),
  };
}
