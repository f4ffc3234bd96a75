import type { Collection } from './collection.ts';
import type { Address } from './store.ts';

/**
 * What a step sees of the store, and what it writes. A step is a plain function: it reads, computes and writes here, and
 * nothing of it counts before the commit. It may run several times. Values are shared with other steps: a step never
 * changes one, it puts another in its place.
 */
export interface View {
  /** The store's clock, in ms since 1970. */
  readonly now: number;
  get<T>(of: Collection<T>, id: string): T | undefined;
  /** As `get`, but takes an unknown document for absent without a read; the commit fails where there is one. */
  getAssumingAbsent<T>(of: Collection<T>, id: string): T | undefined;
  /** Reads these together with whatever the step reads next: it will get them later. */
  prefetch(...addresses: Address[]): void;
  /** Runs parts of a step that need nothing of each other: what they all have to read is read in one trip. */
  together<Answers extends unknown[]>(...parts: { [Part in keyof Answers]: () => Answers[Part] }): Answers;
  /**
   * Documents in the order of an index, then of their ids. Others may join or leave the range meanwhile; only what this
   * step also gets or puts must still be the same when it commits.
   */
  list<T>(of: Collection<T>, index: string, bounds: Bounds, options?: ListOptions): ListedDocument<T>[];
  put<T>(of: Collection<T>, id: string, value: T): void;
  delete<T>(of: Collection<T>, id: string): void;
  /** What this step has put into a collection so far. */
  written<T>(of: Collection<T>): ListedDocument<T>[];
  /** What this step writes counts only before this moment of the store's clock. */
  commitBefore(moment: number): void;
  /** A power cut may take away what this step writes: nothing is spent by it. */
  allowUnsynced(): void;
}

/** Keys from `from`, below `to`. */
export interface Bounds {
  from: string;
  to: string;
}

export interface ListOptions {
  limit?: number;
  /** From the last one backwards. */
  isReverse?: boolean;
  /**
   * The list may come from the cache: as this process read it up to two seconds ago, with its own writes since. An
   * empty one does not prove that there is nothing.
   */
  allowCached?: boolean;
}

export interface ListedDocument<T> {
  id: string;
  value: T;
}

/** Reads, computes, writes; runs again where something it read has changed before its commit. */
export type Step<T> = (view: View) => T;
