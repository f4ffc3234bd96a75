import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import type { RenewSealed } from './opt-out-types.ts';
import * as optOuts from './opt-outs.ts';

/** Numbers that must get no texts. */
export function createOptOutLedger(run: Steps['run'], steps: Steps) {
  const { optOut, whichOptedOut, listOptOuts, countOptOuts, teamsWithOptOuts } = optOuts;
  const { changeOptOuts, eraseOptOut, deleteOldOptIns } = optOuts;
  return {
    ...asMethods(run, { optOut, whichOptedOut, listOptOuts, countOptOuts, teamsWithOptOuts }),
    ...asMethods(run, { changeOptOuts, eraseOptOut, deleteOldOptIns }, 'opt-outs'),
    forgetOptOuts: () => optOuts.forgetOptOuts(steps),
    resealOptOuts: (renew: RenewSealed) => optOuts.resealOptOuts(steps, renew),
  };
}
