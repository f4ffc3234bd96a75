import type { Collection } from '../../store/collection.ts';
import type { NumberLeaf } from './number-leaf.ts';

/** The look-up by number. A leaf's id is `leafIdOf`. */
export const numbers: Collection<NumberLeaf> = {
  name: 'numbers',
  whenDamaged: 'lost',
  indexes: {
    leaves: ({ team, start }) => [team, start],
    oldest: ({ oldest }) => (oldest === undefined ? undefined : [oldest]),
  },
};

export function leafIdOf({ team, start }: Pick<NumberLeaf, 'team' | 'start'>): string {
  return `${team}/${start}`;
}
