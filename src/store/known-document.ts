import type { Collection } from './collection.ts';
import { keyText } from './keys.ts';
import type { Address, IndexEntry, StoredDocument } from './store.ts';

/** A document's keys, by the indexes of its collection that have it. */
type DocumentKeys = { [index: string]: string };

/** A document's value, which is undefined if there is no such document. Steps share it, so nobody changes it. */
interface DocumentValue {
  address: Address;
  value: unknown;
  /** Its text is no JSON. Its version still counts. */
  isDamaged?: true;
  /** Computed at the first use. */
  keys?: DocumentKeys;
}

/** A document as the store has it. */
export interface KnownDocument extends DocumentValue {
  /** Undefined if there is no such document. */
  version: string | undefined;
  /** How long its JSON is. */
  characters: number;
}

/** A document as a step wrote it; `value` is undefined if it was deleted. */
export interface WrittenDocument extends DocumentValue {
  of: Collection<unknown>;
}

export function knownFrom(address: Address, stored: StoredDocument | undefined): KnownDocument {
  if (!stored) return { address, version: undefined, value: undefined, characters: 0 };
  const { version, text } = stored;
  const known = { address, version, value: undefined, characters: text.length };
  try {
    return { ...known, value: JSON.parse(text) };
  } catch {
    return { ...known, isDamaged: true };
  }
}

/** The error of a document that is no JSON; its name holds no words and no number. */
export function damageOf(name: string): Error {
  return new Error(
    `The stored document ${name} is damaged. docs/operating.md says what it counts as now; a backup may have it.`,
  );
}

/** The document's value. If it is damaged, its collection says what it counts as. */
export function knownValue<T>(
  of: Collection<T>,
  { address, value, isDamaged }: DocumentValue,
): T | undefined {
  const { whenDamaged } = of;
  const isReplaced = isDamaged && typeof whenDamaged === 'function';
  return (isReplaced ? whenDamaged(address.id) : value) as T | undefined;
}

/** The document's keys in the indexes of its collection. */
export function keysOf<T>(of: Collection<T>, document: DocumentValue): DocumentKeys {
  if (document.keys) return document.keys;
  const keys: DocumentKeys = {};
  const value = knownValue(of, document);
  for (const index in of.indexes) {
    const key = value === undefined ? undefined : of.indexes[index]?.(value);
    if (key) keys[index] = keyText(key);
  }
  document.keys = keys;
  return keys;
}

/** The entries of a document with these keys, but for those that it has by `others`, too. */
export function entriesOf(
  { collection, id }: Address,
  keys: DocumentKeys,
  others: DocumentKeys,
): IndexEntry[] {
  const entries: IndexEntry[] = [];
  for (const [index, key] of Object.entries(keys)) {
    if (key !== others[index]) entries.push({ collection, index, key, id });
  }
  return entries;
}

export function nameOf(collection: string, id: string): string {
  return `${collection}/${id}`;
}
