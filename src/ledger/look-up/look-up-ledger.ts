import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import { deleteOldEntries, forgetNumber, listNumbers, lookUp, teamsInLookUp } from './numbers.ts';

/** The look-up by number. */
export function createLookUpLedger(run: Steps['run']) {
  return {
    ...asMethods(run, { lookUp, teamsInLookUp }),
    ...asMethods(run, { listNumbers, forgetNumber, deleteOldEntries }, 'numbers'),
  };
}
