import { knownFrom, nameOf } from '../store/known-document.ts';
import type { StoredDocument } from '../store/store.ts';
import { unusable } from '../store/store-error.ts';

/** The value of a stored document. @throws StoreError that names a damaged document, and quotes nothing of it */
export function storedValue(collection: string, { id, ...stored }: StoredDocument & { id: string }): unknown {
  const { isDamaged, value } = knownFrom({ collection, id }, stored);
  if (!isDamaged) return value;
  throw unusable(
    `The stored document ${nameOf(collection, id)} is damaged: put a backup back that has it whole, and try again.`,
  );
}
