import { damageOf, type KnownDocument } from './known-document.ts';
import type { Bounds, Change, IndexName, IndexRange } from './store.ts';

/** Most characters of JSON whose documents a process keeps: some thousand documents. */
const MOST_CHARACTERS = 8_000_000;
/** A document's room beside its JSON. */
const OVERHEAD = 200;
/** How long a cached range is used, in ms: it lacks what others have added since. */
const RANGE_CACHED_MS = 2000;

/** The first entries of a range. `last`: beyond this key there may be more. */
export interface ListedRange {
  ids: Set<string>;
  last: string | undefined;
}

/** A range as the store listed it at `at`, ms of `performance.now()`, with this process's changes since. */
interface CachedRange extends Bounds, ListedRange {
  at: number;
}

export type DocumentCache = ReturnType<typeof createDocumentCache>;

/** The documents that this process read or wrote last, by their `nameOf`. Each commit checks those that it uses. */
export function createDocumentCache(onDamaged: (error: Error) => void) {
  // Once `recent` is full, it becomes `older`, and the documents of the last `older` are forgotten.
  let recent = new Map<string, KnownDocument>();
  let older = new Map<string, KnownDocument>();
  let characters = 0;
  const cachedRanges = new Map<string, CachedRange[]>();
  const indexOf = ({ collection, index }: IndexName) => `${collection}.${index}`;
  const sizeOf = (document: KnownDocument | undefined) => (document ? document.characters + OVERHEAD : 0);

  /** The ranges of an index that were listed lately. Forgets its others. */
  function recentRanges(of: IndexName): CachedRange[] {
    const name = indexOf(of);
    const since = performance.now() - RANGE_CACHED_MS;
    const ranges = cachedRanges.get(name)?.filter(({ at }) => at > since) ?? [];
    if (ranges.length > 0) cachedRanges.set(name, ranges);
    else cachedRanges.delete(name);
    return ranges;
  }

  function put(name: string, document: KnownDocument): void {
    if (document.isDamaged && recent.get(name) !== document) onDamaged(damageOf(name));
    characters += sizeOf(document) - sizeOf(recent.get(name));
    recent.set(name, document);
    if (characters <= MOST_CHARACTERS / 2) return;
    older = recent;
    recent = new Map();
    characters = 0;
  }

  return {
    get(name: string): KnownDocument | undefined {
      const here = recent.get(name);
      if (here) return here;
      const found = older.get(name);
      if (found) put(name, found);
      return found;
    },
    put,
    /** Ids that may be in the range, with what this process wrote since; undefined if nobody listed it lately. */
    getRange: (range: IndexRange): ListedRange | undefined =>
      recentRanges(range).find(({ from, to }) => from <= range.from && to >= range.to),
    putRange(range: IndexRange, { ids, last }: ListedRange): void {
      const { from, to } = range;
      const others = recentRanges(range).filter((one) => one.from !== from || one.to !== to);
      const listed = { from, to, at: performance.now(), last, ids: new Set(ids) };
      cachedRanges.set(indexOf(range), [...others, listed]);
    },
    applyEntries({ added, removed }: Change['entries']): void {
      for (const entry of removed) for (const { ids } of recentRanges(entry)) ids.delete(entry.id);
      for (const entry of added) {
        for (const { from, to, ids } of recentRanges(entry)) {
          if (entry.key >= from && entry.key < to) ids.add(entry.id);
        }
      }
    },
    clear(): void {
      recent = new Map();
      older = new Map();
      characters = 0;
      cachedRanges.clear();
    },
  };
}
