import type { Collection } from './collection.ts';
import type { Bounds, IndexRange } from './store.ts';

/**
 * A step's view of the store, for its reads and writes. A step is a plain function of its view, and may run several
 * times. Its writes count only once they are committed. Steps share values: a step never changes a value, but puts
 * another one in its place.
 */
export interface View {
  /** The store's clock, in ms since 1970. */
  readonly now: number;
  get<T>(of: Collection<T>, id: string): T | undefined;
  /** Whether a document that `get` did not return is there, but damaged. */
  isDamaged<T>(of: Collection<T>, id: string): boolean;
  /** As `get`, but does not read an unknown document: it counts as absent. If it is there, the step runs again. */
  getAssumingAbsent<T>(of: Collection<T>, id: string): T | undefined;
  /** Reads these documents together with whatever the step reads next. */
  prefetch<T>(of: Collection<T>, ...ids: string[]): void;
  /** Runs parts of a step that need nothing of each other: one trip reads what all of them need. */
  together<Answers extends unknown[]>(...parts: { [Part in keyof Answers]: () => Answers[Part] }): Answers;
  /**
   * Documents in the order of an index, then of their ids. Others may join or leave the range meanwhile. Only documents
   * that this step also gets or puts must be the same when it commits.
   */
  list<T>(of: Collection<T>, index: string, bounds: Bounds, options?: ListOptions): ListedDocument<T>[];
  /** Ids of damaged documents whose index entry is in these bounds: `list` leaves them out. */
  listDamaged<T>(of: Collection<T>, index: string, bounds: Bounds): string[];
  /** Puts the document in place of any earlier one. In a collection with indexes, `getAssumingAbsent` reads that. */
  put<T>(of: Collection<T>, id: string, value: T): void;
  /** Deletes the document, if it is there. Reads it first if its collection has indexes. */
  delete<T>(of: Collection<T>, id: string): void;
  /** The documents that this step has put into a collection so far. */
  written<T>(of: Collection<T>): ListedDocument<T>[];
  /** The step counts only if its commit comes before this moment of the store's clock. */
  commitBefore(moment: number): void;
  /** A power cut may undo what this step writes: it spends nothing. */
  allowUnsynced(): void;
}

export interface ListOptions extends Pick<IndexRange, 'limit' | 'isReverse'> {
  /** The list may be two seconds old, with this process's own writes. An empty list proves nothing. */
  allowCached?: boolean;
}

export interface ListedDocument<T> {
  id: string;
  value: T;
}

/** Reads, computes, writes. Runs again if something that it read has changed before its commit. */
export type Step<T> = (view: View) => T;
