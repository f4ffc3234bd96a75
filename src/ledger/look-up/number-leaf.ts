import { isDeepStrictEqual } from 'node:util';
import type { ListedOutcome } from '../model/chunk-documents.ts';

/**
 * Leaves of the look-up: many short entries in one text. An index entry for each would take four times the room. An
 * entry says that a message went to the number with that hash. All functions are pure.
 */

/** Hashes a number (its digits) for a workspace, with a secret key. A hash has `HASH_CHARACTERS` characters. */
export type HashNumber = (team: string, phone: string) => string;

export interface LeafEntry {
  /** `HASH_CHARACTERS` of `A–Za–z0–9-_`. */
  hash: string;
  /** When somebody decided its send, in whole minutes since 1970. */
  minute: number;
  outcome: ListedOutcome;
  by: string;
  channelId: string;
}

/** The entries of a workspace whose hashes are at least `start` and below `end`. */
export interface NumberLeaf {
  team: string;
  start: string;
  /** Missing in the last leaf. */
  end?: string;
  /** The minute of its oldest entry; missing if it has none. */
  oldest?: number;
  /** Each person and channel once: an entry has their places in these lists. */
  people: string[];
  channels: string[];
  /** Entries of the same length, sorted by hash, then by minute. */
  entries: string;
}

type LeafRange = Pick<NumberLeaf, 'team' | 'start' | 'end'>;

export const HASH_CHARACTERS = 8;
/** The most entries of a leaf, about 2 KB. A leaf with more is split. */
const MOST_ENTRIES = 110;
/** The most entries of one hash: see `keptOfOne`. Below MOST_ENTRIES, so a split always finds a place. */
export const MOST_OF_ONE_HASH = 100;

/** Digits in the order of their bytes, so that entries sort as texts. */
const DIGITS = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const MINUTE_CHARACTERS = 5;
const PLACE_CHARACTERS = 2;
const ENTRY_CHARACTERS = HASH_CHARACTERS + MINUTE_CHARACTERS + 1 + 2 * PLACE_CHARACTERS;

/** A workspace's first leaf, with nothing in it. */
export function emptyLeaf(team: string): NumberLeaf {
  return { team, start: '', people: [], channels: [], entries: '' };
}

/** The entries in a leaf, sorted by hash, then by minute. */
export function entriesOf({ entries, people, channels }: NumberLeaf): LeafEntry[] {
  const found: LeafEntry[] = [];
  for (let from = 0; from < entries.length; from += ENTRY_CHARACTERS) {
    let at = from;
    const next = (characters: number) => {
      at += characters;
      return entries.slice(at - characters, at);
    };
    found.push({
      hash: next(HASH_CHARACTERS),
      minute: numberIn(next(MINUTE_CHARACTERS)),
      outcome: next(1) as ListedOutcome,
      by: people[numberIn(next(PLACE_CHARACTERS))] ?? '',
      channelId: channels[numberIn(next(PLACE_CHARACTERS))] ?? '',
    });
  }
  return found;
}

/** The leaf with these entries in place of its own: as one leaf, or as several that share its range. */
export function leavesWith({ team, start, end }: LeafRange, entries: LeafEntry[]): NumberLeaf[] {
  const range = { team, start, ...(end !== undefined && { end }) };
  const sorted = keptOfEachHash(entries);
  const middle = sorted.length > MOST_ENTRIES ? splitPlaceOf(sorted) : 0;
  const split = sorted[middle]?.hash;
  if (middle === 0 || split === undefined) return [packed(range, sorted)];
  const below = leavesWith({ ...range, end: split }, sorted.slice(0, middle));
  return [...below, ...leavesWith({ ...range, start: split }, sorted.slice(middle))];
}

/** An entry to add, or to remove. */
export interface LeafChange {
  entry: LeafEntry;
  isGone: boolean;
}

/** The leaf after these changes: one, or several that share its range. */
export function leavesAfter(leaf: NumberLeaf, changes: LeafChange[]): NumberLeaf[] {
  const entries = entriesOf(leaf);
  for (const { entry, isGone } of changes) {
    const at = isGone ? entries.findIndex((one) => isDeepStrictEqual(one, entry)) : -1;
    if (at >= 0) entries.splice(at, 1);
    if (!isGone) entries.push(entry);
  }
  return leavesWith(leaf, entries);
}

type Names = Map<string, number>;

/** An entry as text. A new name gets the next place. */
function rowOf({ hash, minute, outcome, by, channelId }: LeafEntry, people: Names, channels: Names): string {
  const placeOf = (names: Names, name: string) => {
    const place = names.get(name) ?? names.size;
    names.set(name, place);
    return digits(place, PLACE_CHARACTERS);
  };
  return (
    hash + digits(minute, MINUTE_CHARACTERS) + outcome + placeOf(people, by) + placeOf(channels, channelId)
  );
}

function keptOfEachHash(entries: LeafEntry[]): LeafEntry[] {
  const sorted = entries.toSorted((one, other) =>
    one.hash === other.hash ? one.minute - other.minute : one.hash < other.hash ? -1 : 1,
  );
  return [...Map.groupBy(sorted, ({ hash }) => hash).values()].flatMap(keptOfOne);
}

/**
 * The newest entries of a hash. The newest of each channel has priority: a person who may read only one channel must
 * still find its texts. `ofHash` is sorted by minute.
 */
function keptOfOne(ofHash: LeafEntry[]): LeafEntry[] {
  if (ofHash.length <= MOST_OF_ONE_HASH) return ofHash;
  const newestFirst = ofHash.toReversed();
  const lasts = new Map(ofHash.map((entry) => [entry.channelId, entry]));
  const lastOfChannels = newestFirst.filter((entry) => lasts.get(entry.channelId) === entry);
  const kept = new Set([...new Set([...lastOfChannels, ...newestFirst])].slice(0, MOST_OF_ONE_HASH));
  return ofHash.filter((entry) => kept.has(entry));
}

/** The place nearest to the middle where another hash begins. */
function splitPlaceOf(sorted: LeafEntry[]): number {
  const middle = sorted.length / 2;
  const places = sorted.flatMap(({ hash }, at) => (at > 0 && hash !== sorted[at - 1]?.hash ? [at] : []));
  places.sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle));
  return places[0] ?? 0;
}

function packed(range: LeafRange, sorted: LeafEntry[]): NumberLeaf {
  const people: Names = new Map();
  const channels: Names = new Map();
  const entries = sorted.map((entry) => rowOf(entry, people, channels)).join('');
  const oldest = Math.min(...sorted.map(({ minute }) => minute));
  return {
    ...range,
    ...(entries === '' ? {} : { oldest }),
    people: [...people.keys()],
    channels: [...channels.keys()],
    entries,
  };
}

function digits(value: number, characters: number): string {
  let text = '';
  for (let rest = value; text.length < characters; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS[rest % DIGITS.length] + text;
  }
  return text;
}

function numberIn(text: string): number {
  let value = 0;
  for (const digit of text) value = value * DIGITS.length + DIGITS.indexOf(digit);
  return value;
}
