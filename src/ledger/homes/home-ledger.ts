import type { Steps } from '../../store/steps.ts';
import { asMethods } from '../model/as-methods.ts';
import { forgetHome, noteHome, openHome, takeDueHomes } from './homes.ts';

/** Homes that are open, and when each is due for a look. */
export function createHomeLedger(run: Steps['run']) {
  return {
    ...asMethods(run, { openHome }),
    ...asMethods(run, { takeDueHomes, noteHome, forgetHome }, 'homes'),
  };
}
