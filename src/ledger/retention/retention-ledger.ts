import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import { deleteBudgets, deleteForgotten, deleteOver } from './delete-old.ts';
import { type Erasure, erase } from './erase.ts';
import { exportTeam } from './export-team.ts';
import { forgetEnded, forgetUndecided, nextKept } from './forget-ended.ts';

/** What is forgotten, erased and handed out. */
export function createRetentionLedger(run: Steps['run'], steps: Steps) {
  const inTurn = { forgetEnded, forgetUndecided, deleteForgotten, deleteBudgets, deleteOver };
  return {
    ...asMethods(run, { nextKept }),
    ...asMethods(run, inTurn, 'retention'),
    erase: (phone: string, how: Erasure) => erase(steps, phone, how),
    exportTeam: (team: string, accounts: string[]) => exportTeam(steps, team, accounts),
  };
}
