import type { BatchReads } from './batch-reads.ts';
import { addressOf, type Collection } from './collection.ts';
import { type DocumentKeys, type KnownDocument, keysOf, knownValue, nameOf } from './known-document.ts';
import type { Address, Bounds, IndexRange } from './store.ts';
import type { ListOptions, View } from './view.ts';

/** Thrown if a step asks for something that was not read yet. All steps share it: making an error takes long. */
export const NOT_READ = new Error('A step asked for a document or range that is not read yet.');

/** A document as a step wrote it; `value` is undefined if it was deleted. */
interface WrittenDocument {
  of: Collection<unknown>;
  address: Address;
  value: unknown;
  keys?: DocumentKeys;
}

/** The documents that a step wrote, by document name, and its conditions for the commit. */
export interface Writes {
  written: Map<string, WrittenDocument>;
  /** The step counts only if it commits before this (ms, the store's clock). */
  before?: number;
  /** A power cut may undo the step. */
  unsyncedAllowed?: true;
}

/** What the steps of a batch read and wrote this time. */
export interface Attempt {
  /** The store's clock, as far as this process knows it. */
  now: number;
  /** Names of the documents that `get` read, without those that never change. */
  read: Set<string>;
  written: Map<string, WrittenDocument>;
  before?: number;
  isSynced: boolean;
}

/** The view of one step, which also sees the writes of earlier steps of its batch. `own` collects its own writes. */
export function createStepView(attempt: Attempt, reads: BatchReads, own: Writes): View {
  const { now, read, written: earlier } = attempt;
  const find = (name: string) => own.written.get(name) ?? earlier.get(name) ?? reads.find(name);

  function get<T>(of: Collection<T>, id: string): T | undefined {
    const name = nameOf(of.name, id);
    if (!of.isImmutable) read.add(name);
    const found = find(name);
    if (found) return knownValue(of, found);
    reads.want(name, addressOf(of, id));
    throw NOT_READ;
  }

  function getAssumingAbsent<T>(of: Collection<T>, id: string): T | undefined {
    reads.findOrAssumeAbsent(nameOf(of.name, id), addressOf(of, id));
    return get(of, id);
  }

  function write<T>(of: Collection<T>, id: string, value: T | undefined): void {
    // Otherwise the entries of an earlier document would stay.
    if (hasEntries(of)) getAssumingAbsent(of, id);
    const written = { of: of as Collection<unknown>, address: addressOf(of, id), value };
    own.written.set(nameOf(of.name, id), written);
  }

  function findRange(range: IndexRange, allowCached = false) {
    const known = reads.findRange(range, allowCached);
    if (known) return known;
    reads.wantRange(range);
    throw NOT_READ;
  }

  function list<T>(of: Collection<T>, index: string, query: Bounds & ListOptions) {
    const { allowCached = false, limit = Number.POSITIVE_INFINITY, isReverse = false, ...bounds } = query;
    const whole: IndexRange = { collection: of.name, index, ...bounds, isReverse };
    const range = query.limit === undefined ? whole : { ...whole, limit };
    const { ids, last } = findRange(range, allowCached);
    const entries = inRange(
      of,
      range,
      new Set([...ids, ...idsIn(of, earlier), ...idsIn(of, own.written)]),
      find,
    );
    // Beyond the last key that was read there may be more.
    const isComplete = (key: string) => last === undefined || (isReverse ? key >= last : key <= last);
    const complete = entries.filter(({ key }) => isComplete(key));
    if (last !== undefined && complete.length < limit) {
      // A list without a limit asks for the whole range: an engine does not accept an infinite limit.
      const more = { ...whole, limit: Math.max(limit, 2 * ids.length) };
      reads.wantRange(query.limit === undefined ? whole : more);
      throw NOT_READ;
    }
    return complete.slice(0, limit).map(({ id, value }) => ({ id, value }));
  }

  function isDamaged<T>(of: Collection<T>, id: string): boolean {
    return 'isDamaged' in (find(nameOf(of.name, id)) ?? {});
  }

  return {
    now,
    get,
    isDamaged,
    getAssumingAbsent,
    prefetch(of, ...ids) {
      for (const id of ids) {
        const name = nameOf(of.name, id);
        if (!reads.find(name)) reads.want(name, addressOf(of, id));
      }
    },
    together<Answers extends unknown[]>(...parts: { [Part in keyof Answers]: () => Answers[Part] }) {
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
    list: (of, index, bounds, options) => list(of, index, { ...bounds, ...options }),
    listDamaged(of, index, bounds) {
      const range: IndexRange = { collection: of.name, index, ...bounds, isReverse: false };
      return findRange(range).ids.filter((id) => isDamaged(of, id));
    },
    put: write,
    delete(of, id) {
      if (!hasEntries(of) || get(of, id) !== undefined || isDamaged(of, id)) write(of, id, undefined);
    },
    written: <T>(of: Collection<T>) =>
      [...own.written.values()]
        .filter((one) => one.of.name === of.name && one.value !== undefined)
        .map(({ address, value }) => ({ id: address.id, value: value as T })),
    commitBefore(moment) {
      own.before = Math.min(own.before ?? moment, moment);
    },
    allowUnsynced() {
      own.unsyncedAllowed = true;
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
