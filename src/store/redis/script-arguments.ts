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

  function inRange(range: IndexRange): string[] {
    const { from, to, limit = -1, isReverse = false } = range;
    const ends = isReverse ? [`(${to}`, `[${from}`, 'BYLEX', 'REV'] : [`[${from}`, `(${to}`, 'BYLEX'];
    return ['ZRANGE', indexAt(range), ...ends, 'LIMIT', '0', String(limit)];
  }

  /** Adds the commands that change entries, one for each index. */
  function pushEntries(words: string[], name: 'ZADD' | 'ZREM', entries: IndexEntry[]): void {
    const members = new Map<string, string[]>();
    for (const entry of entries) {
      const index = indexAt(entry);
      const those = members.get(index) ?? [];
      members.set(index, those);
      if (name === 'ZADD') those.push('0');
      those.push(formatMember(entry));
    }
    for (const [index, those] of members) pushCommands(words, [name, index], those);
  }

  return {
    /** What the keys of a collection's documents begin with; their ids follow. */
    documentsAt,

    /** A read of documents and ranges. */
    read(addresses: Address[], ranges: IndexRange[]): string[] {
      const words = ['read', String(addresses.length), ...addresses.map(documentAt)];
      for (const range of ranges) {
        words.push(documentsAt(range.collection));
        pushCommands(words, [], inRange(range));
      }
      return words;
    },

    /** A commit. It also reads the documents that it writes: it may be a repeat. */
    commit({ expected, puts, deletes, entries, before = Infinity, at }: Change): string[] {
      const documents = new Map<string, { expected: string; stored: string }>();
      for (const { address, version } of expected) {
        documents.set(documentAt(address), {
          expected: version === undefined ? '' : `${version}${END}`,
          stored: '',
        });
      }
      for (const { address, stored } of puts) {
        const key = documentAt(address);
        const text = `${stored.version}${END}${stored.text}`;
        const known = documents.get(key);
        if (known) known.stored = text;
        else documents.set(key, { expected: '*', stored: text });
      }
      const words = [
        'commit',
        String(at - MAX_CLOCK_SKEW_MS),
        // Whole ms: the first one that is too late.
        String(Math.min(before, at + MAX_CLOCK_SKEW_MS + 1)),
        String(documents.size),
      ];
      for (const [key, document] of documents) words.push(key, document.expected, document.stored);
      pushCommands(words, ['DEL'], deletes.map(documentAt));
      pushEntries(words, 'ZREM', entries.removed);
      pushEntries(words, 'ZADD', entries.added);
      return words;
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

/** Adds as many commands as these words need, each with its count before it. */
function pushCommands(to: string[], beginning: string[], words: string[]): void {
  for (let first = 0; first < words.length; first += MOST_WORDS) {
    const some = words.length <= MOST_WORDS ? words : words.slice(first, first + MOST_WORDS);
    to.push(String(beginning.length + some.length), ...beginning, ...some);
  }
}
