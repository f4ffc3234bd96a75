import type { Steps } from '../../store/steps.ts';
import type { DueHome, HomeOwner, ShownHome } from './home-types.ts';
import * as homes from './homes.ts';

/** Homes that are open, and when each is due for a look. */
export interface HomeLedger {
  /** Notes that a person opened their Home: it is due for looks for an hour from now on. */
  openHome(owner: HomeOwner): Promise<void>;
  /**
   * Takes the Homes that are due for a look, each for one caller. A Home is due again after `HOME_EVERY_MS`, until an hour
   * after somebody opened it. Empty where none is due.
   */
  takeDueHomes(): Promise<DueHome[]>;
  /**
   * Notes what a Home shows now; undefined: nobody knows. The next look is `HOME_EVERY_MS` from now. Does nothing for a
   * forgotten Home.
   */
  noteHome(owner: HomeOwner, shown: ShownHome | undefined): Promise<void>;
  forgetHome(owner: HomeOwner): Promise<void>;
}

export function createHomeLedger(run: Steps['run']): HomeLedger {
  return {
    openHome: (owner) => run((view) => homes.openHome(view, owner)),
    takeDueHomes: () => run(homes.takeDueHomes, 'homes'),
    noteHome: (owner, shown) => run((view) => homes.noteHome(view, owner, shown), 'homes'),
    forgetHome: (owner) => run((view) => homes.forgetHome(view, owner), 'homes'),
  };
}
