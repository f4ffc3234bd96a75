import type { Collection } from '../../store/collection.ts';
import { timeKey } from '../model/time-key.ts';
import type { HomeOwner, ShownHome } from './home-types.ts';

/** A person's Home that was opened a short while ago. Times are ms by the store's clock. */
export interface OpenHome extends HomeOwner {
  openedAt: number;
  /** From then on a bot may look whether the Home is still up to date. */
  lookAt: number;
  /** Missing until it was published, and where nobody knows what Slack shows. */
  shown?: ShownHome;
}

export const homes: Collection<OpenHome> = {
  name: 'homes',
  indexes: { look: ({ lookAt }) => [timeKey(lookAt)] },
};
