/**
 * The store: versioned documents in named collections, ordered indexes over them, and one atomic commit. The store
 * knows nothing of sends. Each engine (`sqlite/`, `redis/`, and one of the tests) implements `Engine`; one contract suite
 * (`test/store/`) tests them all.
 *
 * An engine moves texts: it never reads a document's JSON, and `keys.ts` writes the keys of its indexes. So a new
 * collection or index touches no engine.
 */

import { StoreTroubleError } from './store-error.ts';

/** How far a change's time may be from the store's clock, in ms. Beyond that, its process had a wrong clock. */
export const MOST_CLOCK_SKEW_MS = 2000;

export interface Address {
  collection: string;
  /** Any text but half of a surrogate pair, which UTF-8 can't write. Ids sort by their UTF-8 bytes. */
  id: string;
}

export interface StoredDocument {
  /** New with each commit: an equal version means an equal text, and that this commit happened. Has no space. */
  version: string;
  /** JSON. */
  text: string;
}

/** One index of a collection. */
export interface IndexName {
  collection: string;
  index: string;
}

/** Keys from `from`, below `to`. Written by `keys.ts`: ASCII, compared byte by byte. */
export interface Bounds {
  from: string;
  to: string;
}

/** Entries of one index in the order of their keys, then of their ids. */
export interface IndexRange extends IndexName, Bounds {
  limit?: number;
  /** From the last one backwards. */
  isReverse?: boolean;
}

/** `stored` is missing if the document is gone: the store damaged it, so nobody knew its entries any more. */
export interface RangeEntry {
  id: string;
  key: string;
  stored?: StoredDocument | undefined;
}

/** The answer to a read, in the order of the question. All of it is of one moment. */
export interface Snapshot {
  /** The store's clock then, in ms since 1970. */
  now: number;
  /** `undefined` for a document that is not there. */
  documents: (StoredDocument | undefined)[];
  ranges: RangeEntry[][];
}

/** An entry of an index that a commit writes or removes. */
export interface IndexEntry extends IndexName {
  key: string;
  id: string;
}

/** A change: all of it is written, or nothing. */
export interface Change {
  /** The documents that must still be as the step read them, each once. `version` is undefined if there must be none. */
  expected: { address: Address; version: string | undefined }[];
  /** `isAtRest`: it hardly changes any more. An engine may take the time to store it in less room. */
  puts: { address: Address; stored: StoredDocument; isAtRest?: boolean }[];
  deletes: Address[];
  entries: { added: IndexEntry[]; removed: IndexEntry[] };
  /** The store's clock must be below this, in ms since 1970, if at all. */
  before?: number;
  /** The time for which it was computed. The engine refuses a time that is more than MOST_CLOCK_SKEW_MS off. */
  at: number;
  /** False if a power cut may undo it: it spends nothing. */
  isSynced: boolean;
}

/**
 * The result of a commit. `conflict`: a document is not as `expected`. `late`: the clock is past `before`, or far from
 * `at`. Both wrote nothing; `reading` holds the documents of `expected` as they are now.
 */
export type CommitResult =
  | { outcome: 'ok'; now: number }
  | { outcome: 'conflict' | 'late'; reading: Snapshot };

/** The outcome of a change at this moment. A `new` one has to be written; a `repeat` was written before. */
export function outcomeOf(
  { expected, puts, before = Number.POSITIVE_INFINITY, at }: Change,
  now: number,
  versionAt: (address: Address) => string | undefined,
): 'new' | 'repeat' | 'late' | 'conflict' {
  if (puts.some(({ address, stored }) => versionAt(address) === stored.version)) return 'repeat';
  if (now >= before || Math.abs(now - at) > MOST_CLOCK_SKEW_MS) return 'late';
  return expected.every(({ address, version }) => versionAt(address) === version) ? 'new' : 'conflict';
}

/**
 * Refuses a step that its caller has given up.
 * @param until ms of `performance.now()`
 * @throws StoreTroubleError `late` from then on
 */
export function throwIfPast(until: number | undefined): void {
  if (until === undefined || performance.now() < until) return;
  throw new StoreTroubleError('late', 'The step reached the store too late.');
}

/**
 * The methods of each engine. `until` (by `performance.now()`) is when the caller gives up. From then on the engine
 * refuses the step, so it does not happen later. Each method throws StoreTroubleError if the store can't be used. The
 * commit may have happened all the same: to find out, repeat it with the same versions. The repeat answers `ok` if it
 * happened and one of its documents is still the same. A commit that only deletes answers `conflict` the second time.
 */
export interface Engine {
  /** The store's clock, as far as it is known without asking; ms since 1970. */
  now(): number;
  read(documents: Address[], ranges: IndexRange[], until?: number): Promise<Snapshot>;
  /** Durable when it resolves with `ok`, unless `isSynced` is false. */
  commit(change: Change, until?: number): Promise<CommitResult>;
  /** All documents of a collection, each once, some at a time. May lack what others write or delete meanwhile. */
  documents(collection: string): AsyncIterable<(StoredDocument & { id: string })[]>;
}
