import { at, type Collection } from './collection.ts';
import { keyText } from './keys.ts';
import type { Address, Change, Entry, Range, Reading, Stored } from './store.ts';
import type { Bounds, ListOptions, Step, View } from './view.ts';

/** A document as this process knows it, or undefined where it knows that there is none. */
export type Known = Stored | undefined;

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
  written(): { change: Change; known: { address: Address; known: Known }[] } | undefined;
  /** What was read from memory or taken for absent, and not from the store. */
  unchecked(): Address[];
}

/** Thrown where a step has asked for something that was not read yet. One for all: making an error takes its time. */
const NOT_READ = new Error('This was not read yet.');

interface Loaded {
  address: Address;
  version: string | undefined;
  value: unknown;
  /** From the store by this workspace; else it is from memory, or taken for absent. */
  isRead: boolean;
}

interface Written {
  of: Collection<unknown>;
  id: string;
  value: unknown;
}

/** The first entries of a range. `last`: beyond this key there may be more. */
interface ReadRange {
  ids: string[];
  last: string | undefined;
}

/**
 * A workspace. `recall` is what this process remembers, `remember` is told of all that is read; `version` makes one that
 * was never used. `now`: the store's clock as far as it is known.
 */
export function createWorkspace(options: {
  now: number;
  recall(address: Address): { known: Known } | undefined;
  remember(address: Address, known: Known): void;
  version(): string;
}): Workspace {
  let { now } = options;
  const loaded = new Map<string, Loaded>();
  const ranges = new Map<string, ReadRange>();
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
    const recalled = options.recall(address);
    return recalled && load(address, recalled.known, false);
  }

  function load(address: Address, known: Known, isRead: boolean): Loaded {
    const name = nameOf(address);
    const old = loaded.get(name);
    const isSame = old !== undefined && old.version === known?.version;
    const value: unknown = isSame ? old.value : known && JSON.parse(known.text);
    const fresh: Loaded = { address, version: known?.version, value, isRead };
    loaded.set(name, fresh);
    if (isRead) options.remember(address, known);
    return fresh;
  }

  function get<T>(of: Collection<T>, id: string): T | undefined {
    const address = at(of, id);
    const name = nameOf(address);
    read.add(name);
    const own = written.get(name);
    if (own) return own.value as T | undefined;
    const known = find(address);
    if (known) return known.value as T | undefined;
    wanted.set(name, address);
    throw NOT_READ;
  }

  function need(addresses: Address[]): void {
    for (const address of addresses) if (!find(address)) wanted.set(nameOf(address), address);
  }

  function list<T>(of: Collection<T>, index: string, bounds: Bounds, options: ListOptions = {}) {
    const { limit = Number.POSITIVE_INFINITY, isReverse = false } = options;
    const range = rangeOf(of, index, bounds, options);
    const found = ranges.get(rangeName(range));
    if (!found) {
      ask(range);
      throw NOT_READ;
    }
    const ids = new Set(found.ids);
    for (const own of written.values()) if (own.of.name === of.name) ids.add(own.id);
    const entries = [...ids].flatMap((id) => {
      const documentName = nameOf(at(of, id));
      const value = (written.get(documentName) ?? loaded.get(documentName))?.value as T | undefined;
      const key = keyIn(of, index, value);
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

  function ask(range: Range): void {
    wantedRanges.set(rangeName(range), range);
  }

  /** The view of one step, which asks for the limits of its own writes. */
  function viewFor(own: { before?: number; isUnsynced?: true }): View {
    function write<T>(of: Collection<T>, id: string, value: T | undefined): void {
      const indexes = Object.keys(of.indexes);
      if (indexes.length > 0 && !find(at(of, id))) {
        throw new Error(`${of.name}/${id} is written but was not read: its entries would stay`);
      }
      // A key that can't be written is the mistake of this step, not of all that share the commit.
      for (const index of indexes) keyIn(of, index, value);
      written.set(nameOf(at(of, id)), { of: of as Collection<unknown>, id, value });
    }
    return {
      now,
      get,
      getUnlikely(of, id) {
        const address = at(of, id);
        if (!find(address)) load(address, undefined, false);
        return get(of, id);
      },
      getAhead(of, id, ahead) {
        if (!find(at(of, id))) need(ahead);
        return get(of, id);
      },
      need: (...addresses) => need(addresses),
      needList(of, index, bounds, options) {
        const range = rangeOf(of, index, bounds, options);
        if (!ranges.has(rangeName(range))) ask(range);
      },
      list,
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
      const was = new Map(written);
      const own: { before?: number; isUnsynced?: true } = {};
      let isWritten = false;
      try {
        const answer = step(viewFor(own));
        isWritten = [...written].some(([name, write]) => was.get(name) !== write);
        return { answer };
      } catch (error) {
        // What it read stays: it may have thrown for what is no longer so.
        written = was;
        if (error === NOT_READ) return undefined;
        return { error };
      } finally {
        if (isWritten && !own.isUnsynced) isSynced = true;
        if (isWritten && own.before !== undefined) before = Math.min(before ?? own.before, own.before);
      }
    },

    missing() {
      if (wanted.size === 0 && wantedRanges.size === 0) return undefined;
      return { documents: [...wanted.values()], ranges: [...wantedRanges.values()] };
    },

    learn(asked, reading) {
      for (const [place, address] of asked.documents.entries()) load(address, reading.documents[place], true);
      for (const [place, range] of asked.ranges.entries()) {
        const entries = reading.ranges[place] ?? [];
        for (const entry of entries) load({ collection: range.collection, id: entry.id }, entry, true);
        const isCut = range.limit !== undefined && entries.length >= range.limit;
        ranges.set(rangeName(range), {
          ids: entries.map(({ id }) => id),
          last: isCut ? entries.at(-1)?.key : undefined,
        });
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
          return known ? [{ address: known.address, version: known.version }] : [];
        }),
        puts: [],
        deletes: [],
        entries: { added: [], removed: [] },
        at: now,
        isSynced,
        ...(before === undefined ? {} : { before }),
      };
      const known: { address: Address; known: Known }[] = [];
      for (const [name, { of, id, value }] of written) {
        const address = at(of, id);
        const old = loaded.get(name)?.value;
        if (value === undefined) {
          change.deletes.push(address);
          known.push({ address, known: undefined });
        } else {
          const stored = { version: options.version(), text: JSON.stringify(value) };
          change.puts.push({ address, stored });
          known.push({ address, known: stored });
        }
        for (const index of Object.keys(of.indexes)) {
          const was = keyIn(of, index, old);
          const is = keyIn(of, index, value);
          if (was === is) continue;
          const entry = (key: string): Entry => ({ collection: of.name, index, key, id });
          if (was !== undefined) change.entries.removed.push(entry(was));
          if (is !== undefined) change.entries.added.push(entry(is));
        }
      }
      return { change, known };
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
