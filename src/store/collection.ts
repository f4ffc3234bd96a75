import type { IndexKey } from './keys.ts';
import type { Address } from './store.ts';

/**
 * Documents of one kind. An index is a function: where a document is in it, or undefined if it is not. A document
 * that is over and in no index costs nothing but its own room.
 */
export interface Collection<T> {
  name: string;
  indexes: { [index: string]: (value: T) => IndexKey | undefined };
  /** Its documents never change: one that is known needs no comparison. They may be deleted. */
  isImmutable?: true;
  /** Whether a document hardly changes any more: an engine may take the time to store it in less room. */
  isAtRest?: (value: T) => boolean;
}

export function addressOf<T>({ name }: Collection<T>, id: string): Address {
  return { collection: name, id };
}
