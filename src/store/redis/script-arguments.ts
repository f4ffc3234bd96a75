import {
  type Address,
  type Change,
  type IndexEntry,
  type IndexRange,
  MAX_CLOCK_SKEW_MS,
  type StoredDocument,
} from '../store.ts';

/** Most words of a command after its beginning: Lua's unpack takes fewer than 8,000. Even, so pairs stay together. */
const MOST_WORDS = 4000;

/** Stands between version and JSON in a stored document. No version contains it. */
const END = ' ';

/**
 * Where documents and entries are, and how `step.lua` is asked for them. A document is a string, its version and its
 * JSON. An index is a sorted set whose members, a key and an id, all score 0: Redis sorts them by their bytes.
 */
export function createScriptArguments(prefix: string) {
  const documentsAt = (collection: string) => `${prefix}d:${collection}:`;
  const documentAt = ({ collection, id }: Address) => `${documentsAt(collection)}${id}`;
  const indexAt = ({ collection, index }: { collection: string; index: string }) =>
    `${prefix}i:${collection}.${index}`;

  function asked(documents: string[], ranges: IndexRange[]): string[] {
    const reads = commands(['MGET'], documents);
    return [
      String(reads.length),
      ...reads.flat(),
      String(ranges.length),
      ...ranges.flatMap((range) => [documentsAt(range.collection), ...inRange(range)]),
    ];
  }

  function inRange(range: IndexRange): string[] {
    const { from, to, limit = -1, isReverse = false } = range;
    const ends = isReverse ? [`(${to}`, `[${from}`, 'BYLEX', 'REV'] : [`[${from}`, `(${to}`, 'BYLEX'];
    return counted(['ZRANGE', indexAt(range), ...ends, 'LIMIT', '0', String(limit)]);
  }

  function changed(name: 'ZADD' | 'ZREM', entries: IndexEntry[]): string[][] {
    const indexes = Map.groupBy(entries, indexAt);
    return [...indexes].flatMap(([index, those]) => {
      const members = those.map(formatMember);
      return commands([name, index], name === 'ZADD' ? members.flatMap((member) => ['0', member]) : members);
    });
  }

  return {
    /** What the keys of a collection's documents begin with; their ids follow. */
    documentsAt,

    /** A read of documents and ranges. */
    read: (addresses: Address[], ranges: IndexRange[]) => [
      ...asked(addresses.map(documentAt), ranges),
      'read',
    ],

    /** A commit. It also reads the documents that it writes: it may be a repeat. */
    commit({ expected, puts, deletes, entries, before = Infinity, at }: Change): string[] {
      const looks = new Map<string, { expected: string; written: string }>();
      for (const { address, version } of expected) {
        looks.set(documentAt(address), {
          expected: version === undefined ? '' : `${version}${END}`,
          written: '',
        });
      }
      for (const { address, stored } of puts) {
        const key = documentAt(address);
        looks.set(key, { expected: looks.get(key)?.expected ?? '*', written: `${stored.version}${END}` });
      }
      const writes = [
        ...commands(
          ['MSET'],
          puts.flatMap(({ address, stored }) => [
            documentAt(address),
            `${stored.version}${END}${stored.text}`,
          ]),
        ),
        ...commands(['DEL'], deletes.map(documentAt)),
        ...changed('ZREM', entries.removed),
        ...changed('ZADD', entries.added),
      ];
      return [
        ...asked([...looks.keys()], []),
        'commit',
        String(at - MAX_CLOCK_SKEW_MS),
        // Whole ms: the first one that is too late.
        String(Math.min(before, at + MAX_CLOCK_SKEW_MS + 1)),
        ...[...looks.values()].flatMap((look) => [look.expected, look.written]),
        ...writes.flat(),
      ];
    },
  };
}

/** Reads what a commit writes. */
export function parseStored(text: string): StoredDocument {
  const end = text.indexOf(END);
  return { version: text.slice(0, end), text: text.slice(end + END.length) };
}

function formatMember({ key, id }: { key: string; id: string }): string {
  return `${key}\0${id}`;
}

/** The opposite of `formatMember`: no key holds a `\0`. */
export function parseMember(member: string): { key: string; id: string } {
  const end = member.indexOf('\0');
  return { key: member.slice(0, end), id: member.slice(end + 1) };
}

/** As many commands as these words need, each with its count before it. */
function commands(beginning: string[], words: string[]): string[][] {
  const found: string[][] = [];
  for (let first = 0; first < words.length; first += MOST_WORDS) {
    found.push(counted([...beginning, ...words.slice(first, first + MOST_WORDS)]));
  }
  return found;
}

function counted(words: string[]): string[] {
  return [String(words.length), ...words];
}
