import {
  type Address,
  type Change,
  type Engine,
  type IndexName,
  type IndexRange,
  outcomeOf,
  type RangeEntry,
  type Snapshot,
  type StoredDocument,
  throwIfPast,
} from '../../src/store/store.ts';

/** Documents in this process's memory, for tests. `now` is the store's clock, in ms since 1970. */
export function createMemoryEngine(now: () => number): Engine {
  const documents = new Map<string, StoredDocument>();
  const indexes = new Map<string, Map<string, { id: string; key: string }>>();

  const nameOf = ({ collection, id }: Address) => `${collection}\0${id}`;

  function entriesOf({ collection, index }: IndexName) {
    const name = `${collection}\0${index}`;
    let entries = indexes.get(name);
    if (!entries) {
      entries = new Map();
      indexes.set(name, entries);
    }
    return entries;
  }

  function inRange(range: IndexRange): RangeEntry[] {
    const { collection, from, to, limit, isReverse = false } = range;
    const found = [...entriesOf(range).values()]
      .filter(({ key }) => key >= from && key < to)
      .sort((one, other) => compare(one.key, other.key) || compare(one.id, other.id));
    if (isReverse) found.reverse();
    return found
      .slice(0, limit)
      .map(({ id, key }) => ({ id, key, stored: documents.get(nameOf({ collection, id })) }));
  }

  function reading(addresses: Address[], ranges: IndexRange[]): Snapshot {
    return {
      now: now(),
      documents: addresses.map((address) => documents.get(nameOf(address))),
      ranges: ranges.map(inRange),
    };
  }

  function write({ puts, deletes, entries }: Change): void {
    for (const { address, stored } of puts) documents.set(nameOf(address), stored);
    for (const address of deletes) documents.delete(nameOf(address));
    for (const entry of entries.removed) entriesOf(entry).delete(`${entry.key}\0${entry.id}`);
    for (const entry of entries.added) {
      entriesOf(entry).set(`${entry.key}\0${entry.id}`, { id: entry.id, key: entry.key });
    }
  }

  return {
    now,
    async read(addresses, ranges, until) {
      throwIfPast(until);
      return reading(addresses, ranges);
    },
    async commit(change, until) {
      throwIfPast(until);
      const time = now();
      const outcome = outcomeOf(change, time, (address) => documents.get(nameOf(address))?.version);
      if (outcome === 'late' || outcome === 'conflict') {
        const addresses = change.expected.map(({ address }) => address);
        return { outcome, reading: reading(addresses, []) };
      }
      if (outcome === 'new') write(change);
      return { outcome: 'ok', now: time };
    },
    async *documents(collection) {
      const start = nameOf({ collection, id: '' });
      for (const [name, stored] of documents) {
        if (name.startsWith(start)) yield [{ id: name.slice(start.length), ...stored }];
      }
    },
  };
}

/** JavaScript itself compares UTF-16. */
function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
