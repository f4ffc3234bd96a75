import { addressOf, type Collection } from './collection.ts';
import type { CachedDocument, CachedRange, DocumentCache } from './document-cache.ts';
import { keyText } from './keys.ts';
import type { Address, Change, IndexEntry, IndexRange, Snapshot, StoredDocument } from './store.ts';
import type { Bounds, ListOptions, Step, View } from './view.ts';

/** What came of a step: thrown errors are its own. */
export type StepOutcome<T> = { answer: T } | { error: unknown };

/** Runs steps one after the other: each sees what those before it wrote, and one commit carries them all. */
export interface StepBatch {
  /** Runs a step. One that throws leaves nothing. Undefined where it needs something that was not read yet. */
  run<T>(step: Step<T>): StepOutcome<T> | undefined;
  /** What the steps need beside what was read; undefined where they have all of it. */
  missingReads(): { documents: Address[]; ranges: IndexRange[] } | undefined;
  /**
   * Takes in what was read; all steps run again after that. Their time stays, or a range that ends now would be another
   * one after each read.
   */
  addRead(asked: { documents: Address[]; ranges: IndexRange[] }, reading: Snapshot): void;
  /** The time for which all steps run from now on: the one before was too far off. */
  setTime(now: number): void;
  /** What the steps wrote, to be committed, and what is known once that is done; undefined where they wrote nothing. */
  pendingChange():
    | { change: Change; documents: { address: Address; stored: StoredDocument | undefined }[] }
    | undefined;
  /** What came from the cache or was taken for absent: the store was not asked. */
  uncheckedReads(): Address[];
}

/** Thrown where a step has asked for something that was not read yet. One for all: making an error takes its time. */
const NOT_READ = new Error('This was not read yet.');

const ABSENT: CachedDocument = { stored: undefined, value: undefined };

interface LoadedDocument extends CachedDocument {
  address: Address;
  /** From the store, read by this batch; else it is from the cache, or was taken for absent. */
  isRead: boolean;
}

interface WrittenDocument {
  of: Collection<unknown>;
  id: string;
  value: unknown;
  /** Where it is in each index. */
  keys: { [index: string]: string | undefined };
}

/** What a step wrote so far, and what limits it. */
interface StepWrites {
  written: Map<string, WrittenDocument>;
  before?: number;
  unsyncedAllowed?: true;
}

/**
 * A batch over the cache, which gets all that is read. `version` makes one that was never used. `now`: the store's
 * clock as far as it is known.
 */
export function createStepBatch(options: {
  now: number;
  cache: DocumentCache;
  version(): string;
}): StepBatch {
  let { now } = options;
  const { cache } = options;
  const loaded = new Map<string, LoadedDocument>();
  const ranges = new Map<string, CachedRange>();
  const wanted = new Map<string, Address>();
  const wantedRanges = new Map<string, IndexRange>();
  let read = new Set<string>();
  let written = new Map<string, WrittenDocument>();
  let before: number | undefined;
  let isSynced = false;

  function find(address: Address): LoadedDocument | undefined {
    const name = nameOf(address);
    const here = loaded.get(name);
    if (here) return here;
    const cached = cache.get(address);
    return cached && load(address, cached, false);
  }

  function load(address: Address, document: CachedDocument, isRead: boolean): LoadedDocument {
    const fresh: LoadedDocument = { address, ...document, isRead };
    loaded.set(nameOf(address), fresh);
    return fresh;
  }

  function addDocument(address: Address, stored: StoredDocument | undefined): void {
    cache.put(address, stored);
    const old = loaded.get(nameOf(address));
    const isSame = old !== undefined && old.stored?.version === stored?.version;
    load(address, { stored, value: isSame ? old.value : stored && JSON.parse(stored.text) }, true);
  }

  function get<T>(own: StepWrites, of: Collection<T>, id: string): T | undefined {
    const address = addressOf(of, id);
    const name = nameOf(address);
    if (!of.isImmutable) read.add(name);
    const write = own.written.get(name) ?? written.get(name);
    if (write) return write.value as T | undefined;
    const known = find(address);
    if (known) return known.value as T | undefined;
    wanted.set(name, address);
    throw NOT_READ;
  }

  function prefetch(addresses: Address[]): void {
    for (const address of addresses) if (!find(address)) wanted.set(nameOf(address), address);
  }

  function list<T>(own: StepWrites, of: Collection<T>, index: string, query: Bounds & ListOptions) {
    const { from, to, limit = Number.POSITIVE_INFINITY, isReverse = false, allowCached = false } = query;
    const range = rangeOf(of, index, query);
    const found = ranges.get(rangeName(range)) ?? (allowCached ? cachedRange(range) : undefined);
    if (!found) {
      ask(range);
      throw NOT_READ;
    }
    const ids = new Set(found.ids);
    for (const writes of [written, own.written]) {
      for (const write of writes.values()) if (write.of.name === of.name) ids.add(write.id);
    }
    const entries = [...ids].flatMap((id) => {
      const name = nameOf(addressOf(of, id));
      const write = own.written.get(name) ?? written.get(name);
      const value = (write ?? loaded.get(name))?.value as T | undefined;
      const key = write ? write.keys[index] : keyIn(of, index, value);
      return key !== undefined && key >= from && key < to ? [{ id, key, value: value as T }] : [];
    });
    entries.sort((one, other) => compare(one.key, other.key) || compare(one.id, other.id));
    if (isReverse) entries.reverse();
    const isSure = ({ key }: { key: string }) =>
      found.last === undefined || (isReverse ? key >= found.last : key <= found.last);
    const sure = entries.filter(isSure);
    if (found.last !== undefined && sure.length < limit) {
      ask({ ...range, limit: Math.max(limit, 2 * found.ids.length) });
      throw NOT_READ;
    }
    return sure.slice(0, limit).map(({ id, value }) => ({ id, value }));
  }

  /** The range as this process knows it, where it knows all of its documents, too. */
  function cachedRange(range: IndexRange): CachedRange | undefined {
    const { collection } = range;
    const cached = cache.getRange(range);
    return cached?.ids.every((id) => find({ collection, id })) ? cached : undefined;
  }

  function ask(range: IndexRange): void {
    wantedRanges.set(rangeName(range), range);
  }

  function viewFor(own: StepWrites): View {
    function write<T>(of: Collection<T>, id: string, value: T | undefined): void {
      const indexes = Object.keys(of.indexes);
      if (indexes.length > 0 && !find(addressOf(of, id))) {
        throw new Error(`${of.name}/${id} is written but was not read: its entries would stay`);
      }
      const keys = Object.fromEntries(indexes.map((index) => [index, keyIn(of, index, value)]));
      own.written.set(nameOf(addressOf(of, id)), { of: of as Collection<unknown>, id, value, keys });
    }
    const getHere = <T>(of: Collection<T>, id: string) => get(own, of, id);
    return {
      now,
      get: getHere,
      getAssumingAbsent(of, id) {
        const address = addressOf(of, id);
        if (!find(address)) load(address, ABSENT, false);
        return getHere(of, id);
      },
      prefetch: (...addresses) => prefetch(addresses),
      prefetchList(of, index, bounds, options) {
        const range = rangeOf(of, index, { ...bounds, ...options });
        const isKnown = ranges.has(rangeName(range)) || (options?.allowCached && cachedRange(range));
        if (!isKnown) ask(range);
      },
      list: (of, index, bounds, options) => list(own, of, index, { ...bounds, ...options }),
      put: write,
      delete: (of, id) => write(of, id, undefined),
      commitBefore(moment) {
        own.before = Math.min(own.before ?? moment, moment);
      },
      allowUnsynced() {
        own.unsyncedAllowed = true;
      },
    };
  }

  return {
    run<T>(step: Step<T>): StepOutcome<T> | undefined {
      const own: StepWrites = { written: new Map() };
      try {
        const answer = step(viewFor(own));
        if (own.written.size === 0) return { answer };
        for (const [name, write] of own.written) written.set(name, write);
        if (!own.unsyncedAllowed) isSynced = true;
        if (own.before !== undefined) before = Math.min(before ?? own.before, own.before);
        return { answer };
      } catch (error) {
        // What it read stays: it may have thrown for what is no longer so.
        return error === NOT_READ ? undefined : { error };
      }
    },

    missingReads() {
      if (wanted.size === 0 && wantedRanges.size === 0) return undefined;
      return { documents: [...wanted.values()], ranges: [...wantedRanges.values()] };
    },

    addRead(asked, reading) {
      for (const [place, address] of asked.documents.entries())
        addDocument(address, reading.documents[place]);
      for (const [place, range] of asked.ranges.entries()) {
        const entries = reading.ranges[place] ?? [];
        for (const entry of entries) addDocument({ collection: range.collection, id: entry.id }, entry);
        const isCut = range.limit !== undefined && entries.length >= range.limit;
        const listing = { ids: entries.map(({ id }) => id), last: isCut ? entries.at(-1)?.key : undefined };
        ranges.set(rangeName(range), listing);
        if (!range.isReverse) cache.putRange(range, listing);
      }
      wanted.clear();
      wantedRanges.clear();
      read = new Set();
      written = new Map();
      before = undefined;
      isSynced = false;
    },

    setTime(to) {
      now = to;
    },

    pendingChange() {
      if (written.size === 0) return undefined;
      const change: Change = {
        expected: [...new Set([...read, ...written.keys()])].flatMap((name) => {
          const known = loaded.get(name);
          return known ? [{ address: known.address, version: known.stored?.version }] : [];
        }),
        puts: [],
        deletes: [],
        entries: { added: [], removed: [] },
        at: now,
        isSynced,
        ...(before === undefined ? {} : { before }),
      };
      const documents: { address: Address; stored: StoredDocument | undefined }[] = [];
      for (const [name, { of, id, value, keys }] of written) {
        const address = addressOf(of, id);
        const old = loaded.get(name)?.value;
        if (value === undefined) {
          change.deletes.push(address);
          documents.push({ address, stored: undefined });
        } else {
          const stored = { version: options.version(), text: JSON.stringify(value) };
          change.puts.push({ address, stored });
          documents.push({ address, stored });
        }
        for (const index of Object.keys(of.indexes)) {
          const was = keyIn(of, index, old);
          const is = keys[index];
          if (was === is) continue;
          const entry = (key: string): IndexEntry => ({ collection: of.name, index, key, id });
          if (was !== undefined) change.entries.removed.push(entry(was));
          if (is !== undefined) change.entries.added.push(entry(is));
        }
      }
      return { change, documents };
    },

    uncheckedReads() {
      const used = [...read].flatMap((name) => loaded.get(name) ?? []);
      return used.filter(({ isRead }) => !isRead).map(({ address }) => address);
    },
  };
}

function nameOf({ collection, id }: Address): string {
  return `${collection}/${id}`;
}

function rangeName({ collection, index, from, to, isReverse }: IndexRange): string {
  return [collection, index, from, to, isReverse].join(' ');
}

function rangeOf<T>(
  { name: collection }: Collection<T>,
  index: string,
  { from, to, limit, isReverse = false }: Bounds & ListOptions,
): IndexRange {
  return { collection, index, from, to, isReverse, ...(limit === undefined ? {} : { limit }) };
}

function keyIn<T>(of: Collection<T>, index: string, value: T | undefined): string | undefined {
  const key = value === undefined ? undefined : of.indexes[index]?.(value);
  return key && keyText(key);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
