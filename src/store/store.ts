/**
 * The store: versioned documents in named collections, ordered indexes over them, and one atomic commit. It knows no
 * send. Each engine (`sqlite/`, `redis/`, `memory/`) keeps this port, and one contract suite (`test/store/`) holds them
 * to it.
 *
 * An engine moves texts: a document's value is JSON that it never reads, and an index entry is a key that `keys.ts` has
 * written. So a new collection or index touches no engine.
 */

/** A change that was computed for a time further from the store's clock than this, in ms, had a wrong clock. */
export const MAX_CLOCK_SKEW_MS = 2000;

export interface Address {
  collection: string;
  /** Any text but half of a surrogate pair, which UTF-8 can't write. Ids sort by their UTF-8 bytes. */
  id: string;
}

export interface StoredDocument {
  /**
   * Made by the commit that writes it, and by no other: an equal version means an equal text, and that this commit
   * happened. It holds no space.
   */
  version: string;
  /** JSON. */
  text: string;
}

export interface StoredDocumentWithId extends StoredDocument {
  id: string;
}

/** Entries of one index whose keys are at least `from` and below `to`, in the order of their keys, then of their ids. */
export interface IndexRange {
  collection: string;
  index: string;
  /** Written by `keys.ts`: ASCII, compared byte by byte. */
  from: string;
  to: string;
  limit?: number;
  /** From the last one backwards. */
  isReverse?: boolean;
}

export interface RangeEntry extends StoredDocumentWithId {
  key: string;
}

/** What was asked for, in the same order, as it all stood at one moment. */
export interface Snapshot {
  /** The store's clock then, in ms since 1970. */
  now: number;
  /** `undefined` where there is no such document. */
  documents: (StoredDocument | undefined)[];
  ranges: RangeEntry[][];
}

/** An entry of an index that a commit writes or removes. */
export interface IndexEntry {
  collection: string;
  index: string;
  key: string;
  id: string;
}

/** A change: all of it is written, or nothing. */
export interface Change {
  /**
   * What was read and must still be so. `version` is undefined if there must be no document. Each address once.
   */
  expected: { address: Address; version: string | undefined }[];
  /** `isAtRest`: it hardly changes any more, so it may be stored in less room, which takes longer. */
  puts: { address: Address; stored: StoredDocument; isAtRest?: boolean }[];
  deletes: Address[];
  entries: { added: IndexEntry[]; removed: IndexEntry[] };
  /** The store's clock must be below this, in ms since 1970. */
  before?: number;
  /** What the change was computed for, by the store's clock. Refused where that is more than MAX_CLOCK_SKEW_MS off. */
  at: number;
  /** False if a power cut may take it away again: nothing was spent by it. */
  isSynced: boolean;
}

/**
 * The result of a commit. `conflict`: a document or range is not as `expected`. `late`: the clock is past `before`, or
 * far from `at`. Both wrote nothing; `reading` holds the documents and ranges of `expected` as they are now.
 */
export type CommitResult =
  | { outcome: 'ok'; now: number }
  | { outcome: 'conflict' | 'late'; reading: Snapshot };

/**
 * The port. `until` (by `performance.now()`) is when the caller gives up. From then on the engine refuses the step, so
 * it does not happen later. Each method throws StoreTroubleError if the store can't be used; a commit may have happened
 * all the same. Repeat it with the same versions to find out: it answers `ok` if it happened, as long as one of its
 * documents is still the same. A commit that only deletes answers `conflict` the second time.
 */
export interface Engine {
  /** The store's clock, as far as it is known without asking; ms since 1970. */
  now(): number;
  read(documents: Address[], ranges: IndexRange[], until?: number): Promise<Snapshot>;
  /** Durable when it resolves with `ok`, unless `isSynced` is false. */
  commit(change: Change, until?: number): Promise<CommitResult>;
  /** All documents of a collection, each once, some at a time; what others write or delete meanwhile may be missing. */
  documents(collection: string): AsyncIterable<StoredDocumentWithId[]>;
}
