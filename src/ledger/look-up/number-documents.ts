import type { Collection } from '../../store/collection.ts';
import { emptyLeaf, type NumberLeaf } from './number-leaf.ts';

/** The look-up by number. A leaf's id is `leafIdOf`. */
export const numbers: Collection<NumberLeaf> = {
  name: 'numbers',
  // It begins again empty. Its end is not needed: `findLeaf` takes a later leaf, if there is one for the hash.
  whenDamaged: (id): NumberLeaf => {
    const slash = id.indexOf('/');
    return { ...emptyLeaf(id.slice(0, slash)), start: id.slice(slash + 1) };
  },
  indexes: {
    leaves: ({ team, start }) => [team, start],
    oldest: ({ oldest }) => (oldest === undefined ? undefined : [oldest]),
  },
};

export function leafIdOf({ team, start }: Pick<NumberLeaf, 'team' | 'start'>): string {
  return `${team}/${start}`;
}
