import type { Address, Change, Range, Stored } from './store.ts';

/** Most characters of JSON that a process remembers: some thousand documents. */
const MOST_CHARACTERS = 8_000_000;
/** What a document takes beside its JSON. */
const OVERHEAD = 200;
/** How long a listing counts as recent, in ms: what others have added since then is missing in it. */
export const RECENT_MS = 2000;

/** A document as it was; both are undefined where there was none. Nobody changes its value. */
export interface Remembered {
  stored: Stored | undefined;
  value: unknown;
}

/** What is remembered of one. Its JSON is parsed when somebody asks for it. */
interface Kept {
  stored: Stored | undefined;
  value?: unknown;
}

/** The first entries of a range. `last`: beyond this key there may be more. */
export interface Listing {
  ids: string[];
  last: string | undefined;
}

/** The documents that this process read or wrote last, as they were then. What it commits shows whether they still are. */
export interface Memory {
  recall(address: Address): Remembered | undefined;
  remember(address: Address, stored: Stored | undefined): void;
  /** Ids that may be in the range, where it was listed lately. What this process has written since is among them. */
  recallRange(range: Range): Listing | undefined;
  rememberRange(range: Range, listing: Listing): void;
  rememberEntries(entries: Change['entries']): void;
  forget(): void;
}

/** A range as it was listed at `at`, ms of `performance.now()`, and as this process has changed it since. */
interface Listed {
  from: string;
  to: string;
  at: number;
  last: string | undefined;
  ids: Set<string>;
}

/** An empty one. */
export function createMemory(): Memory {
  const all = new Map<string, Kept>();
  const listings = new Map<string, Listed[]>();
  let characters = 0;
  const nameOf = ({ collection, id }: Address) => `${collection}/${id}`;
  const indexOf = ({ collection, index }: { collection: string; index: string }) => `${collection}.${index}`;
  const sizeOf = ({ stored }: Kept) => (stored?.text.length ?? 0) + OVERHEAD;

  function drop(name: string): void {
    const one = all.get(name);
    if (!one) return;
    all.delete(name);
    characters -= sizeOf(one);
  }

  return {
    recall(address) {
      const kept = all.get(nameOf(address));
      if (!kept) return undefined;
      if (kept.stored && kept.value === undefined) kept.value = JSON.parse(kept.stored.text);
      return { stored: kept.stored, value: kept.value };
    },
    remember(address, stored) {
      const name = nameOf(address);
      if (all.get(name)?.stored?.version === stored?.version && all.has(name)) return;
      drop(name);
      all.set(name, { stored });
      characters += sizeOf({ stored });
      if (characters <= MOST_CHARACTERS) return;
      for (const oldest of all.keys()) {
        if (characters <= MOST_CHARACTERS) break;
        drop(oldest);
      }
    },
    recallRange(range) {
      const since = performance.now() - RECENT_MS;
      const covers = ({ from, to, at }: Listed) => from <= range.from && to >= range.to && at > since;
      const found = listings.get(indexOf(range))?.find(covers);
      return found && { ids: [...found.ids], last: found.last };
    },
    rememberRange(range, { ids, last }) {
      const { from, to } = range;
      const at = performance.now();
      const others = (listings.get(indexOf(range)) ?? []).filter(
        (one) => one.at > at - RECENT_MS && (one.from !== from || one.to !== to),
      );
      listings.set(indexOf(range), [...others, { from, to, at, last, ids: new Set(ids) }]);
    },
    rememberEntries({ added, removed }) {
      for (const entry of removed) {
        for (const { ids } of listings.get(indexOf(entry)) ?? []) ids.delete(entry.id);
      }
      for (const entry of added) {
        for (const { from, to, ids } of listings.get(indexOf(entry)) ?? []) {
          if (entry.key >= from && entry.key < to) ids.add(entry.id);
        }
      }
    },
    forget() {
      all.clear();
      listings.clear();
      characters = 0;
    },
  };
}
