import type { IndexKey } from './keys.ts';
import type { Address } from './store.ts';

/**
 * Documents of one kind. An index is a function: it returns a document's key, or undefined to leave the document out. A
 * document that is over and in no index costs only its own room.
 */
export interface Collection<T> {
  name: string;
  indexes: { [index: string]: (value: T) => IndexKey | undefined };
  /** Its documents never change, so a commit compares none of them. Somebody may delete them. */
  isImmutable?: true;
  /** How a document counts if its text is no JSON: as lost, or as this value. Lists leave a lost one out. */
  whenDamaged: 'lost' | ((id: string) => unknown);
  /** Whether a document hardly changes any more: an engine may take the time to store it in less room. */
  isAtRest?: (value: T) => boolean;
}

export function addressOf<T>({ name }: Collection<T>, id: string): Address {
  return { collection: name, id };
}
