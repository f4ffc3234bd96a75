import type { DocumentCache, ListedRange } from './document-cache.ts';
import { type KnownDocument, knownFrom, nameOf } from './known-document.ts';
import type { Address, IndexRange, Snapshot, StoredDocument } from './store.ts';

export interface Asked {
  documents: Address[];
  ranges: IndexRange[];
}

export type BatchReads = ReturnType<typeof createBatchReads>;

/** The documents that a batch of steps has, and those that it still has to read. Each read also fills the cache. */
export function createBatchReads(cache: DocumentCache) {
  const documents = new Map<string, KnownDocument>();
  /** Names of the documents of the last read, which is one consistent snapshot. */
  const latest = new Set<string>();
  const ranges = new Map<string, ListedRange>();
  const wanted = new Map<string, Address>();
  const wantedRanges = new Map<string, IndexRange>();

  function find(name: string): KnownDocument | undefined {
    const here = documents.get(name);
    if (here) return here;
    const cached = cache.get(name);
    if (cached) documents.set(name, cached);
    return cached;
  }

  function addDocument(address: Address, stored: StoredDocument | undefined): void {
    const name = nameOf(address.collection, address.id);
    const before = find(name);
    // An equal version means an equal text.
    const now = before && before.version === stored?.version ? before : knownFrom(address, stored);
    documents.set(name, now);
    latest.add(name);
    cache.put(name, now);
  }

  return {
    /** The document, if it is known. Returns the same object until the next `add`. */
    find,
    /** As `find`, but only for what this batch has looked up already. */
    findUsed: (name: string) => documents.get(name),
    /** From now on a document that nobody knows counts as absent; the commit checks that later. */
    assumeAbsent(name: string, address: Address): void {
      if (!find(name)) documents.set(name, knownFrom(address, undefined));
    },
    /** The range, if it is known with all of its documents. */
    findRange(range: IndexRange, allowCached: boolean): ListedRange | undefined {
      const here = ranges.get(nameOfRange(range));
      if (here || !allowCached) return here;
      const cached = cache.getRange(range);
      const isKnown = (id: string) => find(nameOf(range.collection, id)) !== undefined;
      return cached?.ids.values().every(isKnown) ? cached : undefined;
    },
    want: (name: string, address: Address) => void wanted.set(name, address),
    wantRange: (range: IndexRange) => void wantedRanges.set(nameOfRange(range), range),
    /**
     * What the steps must read before they count; undefined if nothing. Each trip also compares the documents that they
     * have used. `ofOneMoment`: no commit will compare them, so the last trip must have had them all.
     */
    needed(used: Set<string>, ofOneMoment: boolean): Asked | undefined {
      const isComplete = wanted.size === 0 && wantedRanges.size === 0;
      if (isComplete && (!ofOneMoment || used.isSubsetOf(latest))) return undefined;
      const known = [...used].flatMap((name) => documents.get(name)?.address ?? []);
      return { documents: [...wanted.values(), ...known], ranges: [...wantedRanges.values()] };
    },
    /** Adds the result of a read, and clears the list of wanted documents. */
    add(asked: Asked, reading: Snapshot): void {
      latest.clear();
      for (const [place, address] of asked.documents.entries())
        addDocument(address, reading.documents[place]);
      for (const [place, range] of asked.ranges.entries()) {
        const entries = reading.ranges[place] ?? [];
        for (const { id, stored } of entries) addDocument({ collection: range.collection, id }, stored);
        const isCut = range.limit !== undefined && entries.length >= range.limit;
        const ids = new Set(entries.map(({ id }) => id));
        const listing = { ids, last: isCut ? entries.at(-1)?.key : undefined };
        ranges.set(nameOfRange(range), listing);
        if (!range.isReverse) cache.putRange(range, listing);
      }
      wanted.clear();
      wantedRanges.clear();
    },
  };
}

function nameOfRange({ collection, index, from, to, isReverse }: IndexRange): string {
  return `${collection} ${index} ${from} ${to} ${isReverse}`;
}
