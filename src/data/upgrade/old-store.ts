/** A record as it was kept before there were documents: fields of text. Times are ms, some with fractions. */
export type Fields = { [field: string]: string };

type Rows<T> = Iterable<T> | AsyncIterable<T>;

/** What a store of the old formats holds. Its field names are those of today's records. */
export interface OldStore {
  sends(): Rows<Fields>;
  /** In the order of their indexes, which have no gaps. */
  chunksOf(send: string): Rows<Fields>;
  permits(): Rows<{ token: string; lane: string; until: number }>;
  rests(): Rows<{ lane: string; until: number }>;
  accounts(): Rows<{ id: string; fields: Fields }>;
  episodes(): Rows<{ name: string; fields: Fields }>;
  /** Of the outbox. `deadline`: when the poster of a row counts as gone. */
  rows(): Rows<{ id: string; fields: Fields }>;
  seen(): Rows<{ key: string; until: number }>;
}

/** A field's number in whole ms, credits or counts; undefined if it is missing. */
export function wholeNumberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return value === undefined ? undefined : Math.ceil(Number(value));
}

/** `{ name: value }` for each of these that is there. */
export function numbersIn<K extends string>(fields: Fields, names: readonly K[]): { [key in K]?: number } {
  return picked(fields, names, (value) => Math.ceil(Number(value)));
}

/** As `numbersIn`, for words. */
export function stringsIn<K extends string>(fields: Fields, names: readonly K[]): { [key in K]?: string } {
  return picked(fields, names, (value) => value);
}

/** As `numbersIn`, for JSON. */
export function jsonIn<T, K extends string>(fields: Fields, names: readonly K[]): { [key in K]?: T } {
  return picked(fields, names, (value) => JSON.parse(value) as T);
}

function picked<T, K extends string>(fields: Fields, names: readonly K[], read: (value: string) => T) {
  const found: { [key in K]?: T } = {};
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined) found[name] = read(value);
  }
  return found;
}
