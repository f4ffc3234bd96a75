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
  /** The document, or undefined. */
  get<T>(of: Collection<T>, id: string): T | undefined;
  /** As `get`, where there is most likely none: the commit finds out, which saves a read. */
  getUnlikely<T>(of: Collection<T>, id: string): T | undefined;
  /** Says what will be read later, so that it comes with what is read next. */
  need(...addresses: Address[]): void;
  /** Says what will be listed later. */
  needList<T>(of: Collection<T>, index: string, bounds: Bounds, options?: ListOptions): void;
  /**
   * Documents in the order of an index, then of their ids. Others may join or leave the range meanwhile; only what this
   * step also gets or puts must still be the same when it commits.
   */
  list<T>(of: Collection<T>, index: string, bounds: Bounds, options?: ListOptions): Listed<T>[];
  put<T>(of: Collection<T>, id: string, value: T): void;
  delete<T>(of: Collection<T>, id: string): void;
  /** What this step writes counts only before this moment of the store's clock. */
  before(moment: number): void;
  /** A power cut may take away what this step writes: nothing is spent by it. */
  unsynced(): void;
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
   * What this process listed up to two seconds ago does, with what it has written since. Where it finds nothing, there
   * may still be something.
   */
  isRecent?: boolean;
}

export interface Listed<T> {
  id: string;
  value: T;
}

/** Reads, computes, writes; runs again where something it read has changed before its commit. */
export type Step<T> = (view: View) => T;
