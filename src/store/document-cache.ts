import type { Address, Change, IndexRange, StoredDocument } from './store.ts';

/** Most characters of JSON that a process keeps: some thousand documents. */
const MOST_CHARACTERS = 8_000_000;
/** What a document takes beside its JSON. */
const OVERHEAD = 200;
/** How long a cached range is used, in ms: what others have added since then is missing in it. */
export const RANGE_CACHED_MS = 2000;

/** A document as it was; both are undefined where there was none. Nobody changes its value. */
export interface CachedDocument {
  stored: StoredDocument | undefined;
  value: unknown;
}

/** What is kept of one. Its JSON is parsed when somebody asks for it. */
interface CacheEntry {
  stored: StoredDocument | undefined;
  value?: unknown;
}

/** The first entries of a range. `last`: beyond this key there may be more. */
export interface CachedRange {
  ids: string[];
  last: string | undefined;
}

/** The documents that this process read or wrote last, as they were then. What it commits shows whether they still are. */
export interface DocumentCache {
  get(address: Address): CachedDocument | undefined;
  put(address: Address, stored: StoredDocument | undefined): void;
  /** Ids that may be in the range, where it was listed lately. What this process has written since is among them. */
  getRange(range: IndexRange): CachedRange | undefined;
  putRange(range: IndexRange, cached: CachedRange): void;
  applyEntries(entries: Change['entries']): void;
  clear(): void;
}

/** A range as it was listed at `at`, ms of `performance.now()`, and as this process has changed it since. */
interface RangeCacheEntry {
  from: string;
  to: string;
  at: number;
  last: string | undefined;
  ids: Set<string>;
}

/** An empty one. */
export function createDocumentCache(): DocumentCache {
  const all = new Map<string, CacheEntry>();
  const cachedRanges = new Map<string, RangeCacheEntry[]>();
  let characters = 0;
  const nameOf = ({ collection, id }: Address) => `${collection}/${id}`;
  const indexOf = ({ collection, index }: { collection: string; index: string }) => `${collection}.${index}`;
  const sizeOf = ({ stored }: CacheEntry) => (stored?.text.length ?? 0) + OVERHEAD;

  const isRecent = ({ at }: RangeCacheEntry) => at > performance.now() - RANGE_CACHED_MS;

  function drop(name: string): void {
    const one = all.get(name);
    if (!one) return;
    all.delete(name);
    characters -= sizeOf(one);
  }

  return {
    get(address) {
      const kept = all.get(nameOf(address));
      if (!kept) return undefined;
      if (kept.stored && kept.value === undefined) kept.value = JSON.parse(kept.stored.text);
      return { stored: kept.stored, value: kept.value };
    },
    put(address, stored) {
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
    getRange(range) {
      const covers = (one: RangeCacheEntry) => one.from <= range.from && one.to >= range.to && isRecent(one);
      const found = cachedRanges.get(indexOf(range))?.find(covers);
      return found && { ids: [...found.ids], last: found.last };
    },
    putRange(range, { ids, last }) {
      const { from, to } = range;
      const at = performance.now();
      const others = (cachedRanges.get(indexOf(range)) ?? []).filter(
        (one) => isRecent(one) && (one.from !== from || one.to !== to),
      );
      cachedRanges.set(indexOf(range), [...others, { from, to, at, last, ids: new Set(ids) }]);
    },
    applyEntries({ added, removed }) {
      for (const entry of removed) {
        for (const { ids } of cachedRanges.get(indexOf(entry)) ?? []) ids.delete(entry.id);
      }
      for (const entry of added) {
        const recent = (cachedRanges.get(indexOf(entry)) ?? []).filter(isRecent);
        // Nothing is kept for a listing that nobody repeats.
        cachedRanges.set(indexOf(entry), recent);
        for (const { from, to, ids } of recent) {
          if (entry.key >= from && entry.key < to) ids.add(entry.id);
        }
      }
    },
    clear() {
      all.clear();
      cachedRanges.clear();
      characters = 0;
    },
  };
}
