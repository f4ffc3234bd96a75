import { at, type Collection } from './collection.ts';
import { keyText } from './keys.ts';
import type { Listing, Memory, Remembered } from './memory-of-process.ts';
import type { Address, Change, Entry, Range, Reading, Stored } from './store.ts';
import type { Bounds, ListOptions, Step, View } from './view.ts';

/** What came of a step: thrown errors are its own. */
export type Outcome<T> = { answer: T } | { error: unknown };

/** Where steps run, one after the other: each sees what those before it wrote, and one commit carries them all. */
export interface Workspace {
  /** Runs a step. One that throws leaves nothing. Undefined where it needs something that was not read yet. */
  run<T>(step: Step<T>): Outcome<T> | undefined;
  /** What the steps need beside what was read; undefined where they have all of it. */
  missing(): { documents: Address[]; ranges: Range[] } | undefined;
  /**
   * Takes in what was read; all steps run again after that. Their time stays, or a range that ends now would be another
   * one after each read.
   */
  learn(asked: { documents: Address[]; ranges: Range[] }, reading: Reading): void;
  /** The time for which all steps run from now on: the one before was too far off. */
  moveTo(now: number): void;
  /** What the steps wrote, to be committed, and what is known once that is done; undefined where they wrote nothing. */
  written(): { change: Change; documents: { address: Address; stored: Stored | undefined }[] } | undefined;
  /** What was read from memory or taken for absent, and not from the store. */
  unchecked(): Address[];
}

/** Thrown where a step has asked for something that was not read yet. One for all: making an error takes its time. */
const NOT_READ = new Error('This was not read yet.');

const ABSENT: Remembered = { stored: undefined, value: undefined };

interface Loaded extends Remembered {
  address: Address;
  /** From the store by this workspace; else it is from memory, or taken for absent. */
  isRead: boolean;
}

interface Written {
  of: Collection<unknown>;
  id: string;
  value: unknown;
  /** Where it is in each index. */
  keys: { [index: string]: string | undefined };
}

/** What a step wrote so far, and what limits it. */
interface Own {
  written: Map<string, Written>;
  before?: number;
  isUnsynced?: true;
}

/**
 * A workspace on what this process remembers, which is told of all that is read; `version` makes one that was never
 * used. `now`: the store's clock as far as it is known.
 */
export function createWorkspace(options: { now: number; memory: Memory; version(): string }): Workspace {
  let { now } = options;
  const { memory } = options;
  const loaded = new Map<string, Loaded>();
  const ranges = new Map<string, Listing>();
  const wanted = new Map<string, Address>();
  const wantedRanges = new Map<string, Range>();
  let read = new Set<string>();
  let written = new Map<string, Written>();
  let before: number | undefined;
  let isSynced = false;

  function find(address: Address): Loaded | undefined {
    const name = nameOf(address);
    const here = loaded.get(name);
    if (here) return here;
    const recalled = memory.recall(address);
    return recalled && load(address, recalled, false);
  }

  function load(address: Address, document: Remembered, isRead: boolean): Loaded {
    const fresh: Loaded = { address, ...document, isRead };
    loaded.set(nameOf(address), fresh);
    return fresh;
  }

  function learnOne(address: Address, stored: Stored | undefined): void {
    memory.remember(address, stored);
    const old = loaded.get(nameOf(address));
    const isSame = old !== undefined && old.stored?.version === stored?.version;
    load(address, { stored, value: isSame ? old.value : stored && JSON.parse(stored.text) }, true);
  }

  function get<T>(own: Own, of: Collection<T>, id: string): T | undefined {
    const address = at(of, id);
    const name = nameOf(address);
    if (!of.isImmutable) read.add(name);
    const write = own.written.get(name) ?? written.get(name);
    if (write) return write.value as T | undefined;
    const known = find(address);
    if (known) return known.value as T | undefined;
    wanted.set(name, address);
    throw NOT_READ;
  }

  function need(addresses: Address[]): void {
    for (const address of addresses) if (!find(address)) wanted.set(nameOf(address), address);
  }

  function list<T>(own: Own, of: Collection<T>, index: string, bounds: Bounds, options: ListOptions = {}) {
    const { limit = Number.POSITIVE_INFINITY, isReverse = false, isRecent = false } = options;
    const range = rangeOf(of, index, bounds, options);
    const found = ranges.get(rangeName(range)) ?? (isRecent ? recallRange(range) : undefined);
    if (!found) {
      ask(range);
      throw NOT_READ;
    }
    const ids = new Set(found.ids);
    for (const writes of [written, own.written]) {
      for (const write of writes.values()) if (write.of.name === of.name) ids.add(write.id);
    }
    const entries = [...ids].flatMap((id) => {
      const name = nameOf(at(of, id));
      const write = own.written.get(name) ?? written.get(name);
      const value = (write ?? loaded.get(name))?.value as T | undefined;
      const key = write ? write.keys[index] : keyIn(of, index, value);
      return key !== undefined && key >= bounds.from && key < bounds.to
        ? [{ id, key, value: value as T }]
        : [];
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
  function recallRange(range: Range): Listing | undefined {
    const { collection } = range;
    const listing = memory.recallRange(range);
    return listing?.ids.every((id) => find({ collection, id })) ? listing : undefined;
  }

  function ask(range: Range): void {
    wantedRanges.set(rangeName(range), range);
  }

  function viewFor(own: Own): View {
    function write<T>(of: Collection<T>, id: string, value: T | undefined): void {
      const indexes = Object.keys(of.indexes);
      if (indexes.length > 0 && !find(at(of, id))) {
        throw new Error(`${of.name}/${id} is written but was not read: its entries would stay`);
      }
      const keys = Object.fromEntries(indexes.map((index) => [index, keyIn(of, index, value)]));
      own.written.set(nameOf(at(of, id)), { of: of as Collection<unknown>, id, value, keys });
    }
    const getHere = <T>(of: Collection<T>, id: string) => get(own, of, id);
    return {
      now,
      get: getHere,
      getUnlikely(of, id) {
        const address = at(of, id);
        if (!find(address)) load(address, ABSENT, false);
        return getHere(of, id);
      },
      need: (...addresses) => need(addresses),
      needList(of, index, bounds, options) {
        const range = rangeOf(of, index, bounds, options);
        const isKnown = ranges.has(rangeName(range)) || (options?.isRecent && recallRange(range));
        if (!isKnown) ask(range);
      },
      list: (of, index, bounds, options) => list(own, of, index, bounds, options),
      put: write,
      delete: (of, id) => write(of, id, undefined),
      before(moment) {
        own.before = Math.min(own.before ?? moment, moment);
      },
      unsynced() {
        own.isUnsynced = true;
      },
    };
  }

  return {
    run<T>(step: Step<T>): Outcome<T> | undefined {
      const own: Own = { written: new Map() };
      try {
        const answer = step(viewFor(own));
        if (own.written.size === 0) return { answer };
        for (const [name, write] of own.written) written.set(name, write);
        if (!own.isUnsynced) isSynced = true;
        if (own.before !== undefined) before = Math.min(before ?? own.before, own.before);
        return { answer };
      } catch (error) {
        // What it read stays: it may have thrown for what is no longer so.
        return error === NOT_READ ? undefined : { error };
      }
    },

    missing() {
      if (wanted.size === 0 && wantedRanges.size === 0) return undefined;
      return { documents: [...wanted.values()], ranges: [...wantedRanges.values()] };
    },

    learn(asked, reading) {
      for (const [place, address] of asked.documents.entries()) learnOne(address, reading.documents[place]);
      for (const [place, range] of asked.ranges.entries()) {
        const entries = reading.ranges[place] ?? [];
        for (const entry of entries) learnOne({ collection: range.collection, id: entry.id }, entry);
        const isCut = range.limit !== undefined && entries.length >= range.limit;
        const listing = { ids: entries.map(({ id }) => id), last: isCut ? entries.at(-1)?.key : undefined };
        ranges.set(rangeName(range), listing);
        if (!range.isReverse) memory.rememberRange(range, listing);
      }
      wanted.clear();
      wantedRanges.clear();
      read = new Set();
      written = new Map();
      before = undefined;
      isSynced = false;
    },

    moveTo(to) {
      now = to;
    },

    written() {
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
      const documents: { address: Address; stored: Stored | undefined }[] = [];
      for (const [name, { of, id, value, keys }] of written) {
        const address = at(of, id);
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
          const entry = (key: string): Entry => ({ collection: of.name, index, key, id });
          if (was !== undefined) change.entries.removed.push(entry(was));
          if (is !== undefined) change.entries.added.push(entry(is));
        }
      }
      return { change, documents };
    },

    unchecked() {
      const used = [...read].flatMap((name) => loaded.get(name) ?? []);
      return used.filter(({ isRead }) => !isRead).map(({ address }) => address);
    },
  };
}

function nameOf({ collection, id }: Address): string {
  return `${collection}/${id}`;
}

function rangeName({ collection, index, from, to, isReverse }: Range): string {
  return [collection, index, from, to, isReverse].join(' ');
}

function rangeOf<T>(
  { name: collection }: Collection<T>,
  index: string,
  { from, to }: Bounds,
  { limit, isReverse = false }: ListOptions = {},
): Range {
  return { collection, index, from, to, isReverse, ...(limit === undefined ? {} : { limit }) };
}

function keyIn<T>(of: Collection<T>, index: string, value: T | undefined): string | undefined {
  const key = value === undefined ? undefined : of.indexes[index]?.(value);
  return key && keyText(key);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
