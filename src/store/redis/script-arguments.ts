import {
  type Address,
  type Change,
  type IndexEntry,
  type IndexName,
  type IndexRange,
  MOST_CLOCK_SKEW_MS,
  type StoredDocument,
} from '../store.ts';
import { packText, unpackText } from './packed-text.ts';

/** Comes between version and text in a stored document. No version contains it. */
const END = ' ';
const NOT_ASCII = /[\u0080-\u00ff]/;

export type Word = string | Buffer;

/**
 * Where documents and entries are, and how `step.lua` is asked for them. A document is a string, its version and its
 * JSON, which is packed once the document is at rest. An index is a sorted set. Its members, a key and an id, all score
 * 0, so Redis sorts them by their bytes.
 */
export function createScriptArguments(prefix: string) {
  const documentsAt = (collection: string) => `${prefix}d:${collection}:`;
  const documentAt = ({ collection, id }: Address) => `${documentsAt(collection)}${id}`;
  const indexAt = ({ collection, index }: IndexName) => `${prefix}i:${collection}.${index}`;
  const memberOf = ({ key, id }: IndexEntry) => `${key}\0${id}`;

  function inRange(range: IndexRange): string[] {
    const { from, to, limit = -1, isReverse = false } = range;
    const ends = isReverse ? [`(${to}`, `[${from}`, 'BYLEX', 'REV'] : [`[${from}`, `(${to}`, 'BYLEX'];
    return [indexAt(range), ...ends, 'LIMIT', '0', String(limit)];
  }

  return {
    /** The beginning of the keys of a collection's documents; their ids follow. */
    documentsAt,

    read(addresses: Address[], ranges: IndexRange[]): string[] {
      const words = ['read', String(addresses.length), ...addresses.map(documentAt)];
      for (const range of ranges) {
        const command = inRange(range);
        words.push(documentsAt(range.collection), String(command.length), ...command);
      }
      return words;
    },

    /** A commit, which also reads the documents that it writes: it may be a repeat. */
    commit({ expected, puts, deletes, entries, before = Infinity, at }: Change): Word[] {
      const documents = new Map<string, { expected: Word; stored: Word }>();
      for (const { address, version } of expected) {
        documents.set(documentAt(address), {
          expected: version === undefined ? '' : wordOf(`${version}${END}`),
          stored: '',
        });
      }
      for (const { address, stored, isAtRest } of puts) {
        const key = documentAt(address);
        const beginning = `${stored.version}${END}`;
        const word = isAtRest
          ? Buffer.concat([Buffer.from(beginning), packText(stored.text)])
          : `${beginning}${stored.text}`;
        const known = documents.get(key);
        if (known) known.stored = word;
        else documents.set(key, { expected: '*', stored: word });
      }
      const words: Word[] = [
        'commit',
        String(at - MOST_CLOCK_SKEW_MS),
        // Whole ms: the first one that is too late.
        String(Math.min(before, at + MOST_CLOCK_SKEW_MS + 1)),
        String(documents.size),
      ];
      words.push(...documents.keys());
      for (const { expected } of documents.values()) words.push(expected);
      for (const { stored } of documents.values()) words.push(stored);
      words.push(String(deletes.length), ...deletes.map(documentAt));
      words.push(String(entries.removed.length));
      for (const entry of [...entries.removed, ...entries.added]) words.push(indexAt(entry), memberOf(entry));
      return words;
    },
  };
}

/** A version as it is stored. A text costs the client less than bytes, so bytes are only for a damaged version. */
function wordOf(version: string): Word {
  return NOT_ASCII.test(version) ? Buffer.from(version, 'latin1') : version;
}

/** Reads what a commit writes. Damaged bytes have a version, too: without one, nobody could write the document again. */
export function parseStored(stored: Buffer): StoredDocument {
  const at = stored.indexOf(END);
  const end = at < 0 ? stored.length : at;
  return { version: stored.toString('latin1', 0, end), text: unpackText(stored.subarray(end + END.length)) };
}

/** A member of an index: no key holds a `\0`. */
export function parseMember(member: Buffer): { key: string; id: string } {
  const end = member.indexOf('\0');
  return { key: member.toString('utf8', 0, end), id: member.toString('utf8', end + 1) };
}
