import type { BatchReads } from './batch-reads.ts';
import { addressOf, type Collection } from './collection.ts';
import { type KnownDocument, keysOf, knownValue, nameOf, type WrittenDocument } from './known-document.ts';
import type { Bounds, IndexRange } from './store.ts';

/** Reads, computes, writes. Runs again if something that it read has changed before its commit. */
export type Step<T> = (view: View) => T;

/**
 * A step's view of the store, for its reads and writes. A step is a plain function of its view, and may run several
 * times. Its writes count only once they are committed. Steps share values: a step never changes a value, but puts
 * another one in its place.
 */
export type View = ReturnType<typeof createView>;

export interface ListedDocument<T> {
  id: string;
  value: T;
}

export interface ListOptions extends Pick<IndexRange, 'limit' | 'isReverse'> {
  /** The list may be two seconds old, with this process's own writes. An empty list proves nothing. */
  allowCached?: boolean;
}

/** Thrown if a step asks for something that was not read yet. All steps share it: making an error takes long. */
export const NOT_READ = new Error('A step asked for a document or range that is not read yet.');

/** The documents that a step wrote, by document name, and its conditions for the commit. */
interface Writes {
  written: Map<string, WrittenDocument>;
  /** They count only if they are committed before this (ms, the store's clock). */
  before: number;
  /** False if a power cut may undo them. */
  isSynced: boolean;
}

export function noWrites(): Writes {
  return { written: new Map(), before: Number.POSITIVE_INFINITY, isSynced: true };
}

/** What the steps of a batch read and wrote this time. */
export interface Attempt extends Writes {
  /** The store's clock, as far as this process knows it, in ms since 1970. */
  now: number;
  /** Names of the documents that `get` read, without those that never change. */
  read: Set<string>;
}

/** The view of one step, which also sees the writes of earlier steps of its batch. `own` collects its own writes. */
export function createView({ now, read, written: earlier }: Attempt, reads: BatchReads, own: Writes) {
  const find = (name: string) => own.written.get(name) ?? earlier.get(name) ?? reads.find(name);

  /** The document; undefined if there is none. Nobody may have changed it when the step commits. */
  function get<T>(of: Collection<T>, id: string): T | undefined {
    const name = nameOf(of.name, id);
    if (!of.isImmutable) read.add(name);
    const found = find(name);
    if (found) return knownValue(of, found);
    reads.want(name, addressOf(of, id));
    throw NOT_READ;
  }

  /** Whether a document that `get` did not return is there, but damaged. */
  function isDamaged<T>(of: Collection<T>, id: string): boolean {
    return find(nameOf(of.name, id))?.isDamaged ?? false;
  }

  /** As `get`, but does not read an unknown document: it counts as absent. If it is there, the step runs again. */
  function getAssumingAbsent<T>(of: Collection<T>, id: string): T | undefined {
    reads.assumeAbsent(nameOf(of.name, id), addressOf(of, id));
    return get(of, id);
  }

  function write<T>(of: Collection<T>, id: string, value: T | undefined): void {
    const [name, address] = [nameOf(of.name, id), addressOf(of, id)];
    // Otherwise the entries of an earlier document would stay.
    if (hasEntries(of)) reads.assumeAbsent(name, address);
    own.written.set(name, { of: of as Collection<unknown>, address, value });
  }

  function findRange(range: IndexRange, allowCached = false) {
    const known = reads.findRange(range, allowCached);
    if (known) return known;
    reads.wantRange(range);
    throw NOT_READ;
  }

  return {
    /** The store's clock, in ms since 1970. */
    now,
    get,
    isDamaged,
    getAssumingAbsent,
    /** Reads these documents together with whatever the step reads next. */
    prefetch<T>(of: Collection<T>, ...ids: string[]): void {
      for (const id of ids) {
        const name = nameOf(of.name, id);
        if (!reads.find(name)) reads.want(name, addressOf(of, id));
      }
    },
    /** Runs parts of a step that need nothing of each other: one trip reads what all of them need. */
    together<Answers extends unknown[]>(...parts: { [Part in keyof Answers]: () => Answers[Part] }): Answers {
      const answers: unknown[] = [];
      for (const part of parts) {
        try {
          answers.push(part());
        } catch (error) {
          if (error !== NOT_READ) throw error;
        }
      }
      if (answers.length < parts.length) throw NOT_READ;
      return answers as Answers;
    },
    /**
     * Documents in the order of an index, then of their ids. Others may join or leave the range meanwhile. Only
     * documents that this step also gets or puts must be the same when it commits.
     */
    list<T>(
      of: Collection<T>,
      index: string,
      bounds: Bounds,
      options: ListOptions = {},
    ): ListedDocument<T>[] {
      const { allowCached, limit = Number.MAX_SAFE_INTEGER, isReverse = false } = options;
      const range = { collection: of.name, index, ...bounds, limit, isReverse };
      const { ids, last } = findRange(range, allowCached);
      const candidates = new Set([...ids, ...idsIn(of, earlier), ...idsIn(of, own.written)]);
      const entries = inRange(of, range, candidates, find);
      // Beyond the last key that was read there may be more.
      const isComplete = (key: string) => last === undefined || (isReverse ? key >= last : key <= last);
      const complete = entries.filter(({ key }) => isComplete(key));
      if (last !== undefined && complete.length < limit) {
        reads.wantRange({ ...range, limit: Math.max(limit, 2 * ids.size) });
        throw NOT_READ;
      }
      return complete.slice(0, limit).map(({ id, value }) => ({ id, value }));
    },
    /** Ids of damaged documents whose index entry is in these bounds: `list` leaves them out. */
    listDamaged<T>(of: Collection<T>, index: string, bounds: Bounds): string[] {
      const { ids } = findRange({ collection: of.name, index, ...bounds, isReverse: false });
      return [...ids].filter((id) => isDamaged(of, id));
    },
    /** Puts the document in place of any earlier one. In a collection with indexes, `getAssumingAbsent` reads that. */
    put: <T>(of: Collection<T>, id: string, value: T): void => write(of, id, value),
    /** Deletes the document, if it is there. Reads it first if its collection has indexes. */
    delete<T>(of: Collection<T>, id: string): void {
      if (!hasEntries(of) || get(of, id) !== undefined || isDamaged(of, id)) write(of, id, undefined);
    },
    /** The documents that this step has put into a collection so far. */
    written: <T>(of: Collection<T>): ListedDocument<T>[] =>
      [...own.written.values()]
        .filter((one) => one.of.name === of.name && one.value !== undefined)
        .map(({ address, value }) => ({ id: address.id, value: value as T })),
    /** The step counts only if its commit comes before this moment of the store's clock. */
    commitBefore(moment: number): void {
      own.before = Math.min(own.before, moment);
    },
    /** A power cut may undo what this step writes: it spends nothing. */
    allowUnsynced(): void {
      own.isSynced = false;
    },
  };
}

function hasEntries<T>(of: Collection<T>): boolean {
  return Object.keys(of.indexes).length > 0;
}

function idsIn<T>(of: Collection<T>, written: Map<string, WrittenDocument>): string[] {
  return [...written.values()].flatMap(({ address }) => (address.collection === of.name ? [address.id] : []));
}

/** Which of these documents are in the range, in its order. */
function inRange<T>(
  of: Collection<T>,
  { index, from, to, isReverse }: IndexRange,
  ids: Set<string>,
  find: (name: string) => WrittenDocument | KnownDocument | undefined,
): { id: string; key: string; value: T }[] {
  const found: { id: string; key: string; value: T }[] = [];
  for (const id of ids) {
    const document = find(nameOf(of.name, id));
    const key = document && keysOf(of, document)[index];
    if (document && key !== undefined && key >= from && key < to)
      found.push({ id, key, value: knownValue(of, document) as T });
  }
  found.sort((one, other) => compare(one.key, other.key) || compare(one.id, other.id));
  return isReverse ? found.reverse() : found;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
