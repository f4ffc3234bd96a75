import { z } from 'zod';

/** A record as it was kept before there were documents: fields of text. */
export type Fields = { [field: string]: string };

type Rows = Iterable<Fields> | AsyncIterable<Fields>;

/** What a store of the old formats holds. Its field names are those of today's records. */
export interface OldStore {
  sends(): Rows;
  /** In the order of their indexes, which have no gaps. */
  chunksOf(send: string): Rows;
  /** `token`, `lane`, `liveUntil`. */
  permits(): Rows;
  /** `lane`, `until`. */
  rests(): Rows;
  accounts(): Rows;
  episodes(): Rows;
  /** Of the outbox. `deadline`: when the poster of a row counts as gone. */
  rows(): Rows;
  /** `key`, `expiresAt`. */
  seen(): Rows;
}

/** A number in whole ms, credits or counts: some times have fractions. */
export const whole = z.string().transform((text) => Math.ceil(Number(text)));
/** As `whole`; 0 if it is missing. */
export const count = whole.default(0);
/** As `whole`; undefined if it is missing or 0. */
export const notZero = count.transform((figure) => figure || undefined);
/** Words; empty if they are missing. */
export const text = z.string().default('');

export function json<T>() {
  return z.string().transform((written) => JSON.parse(written) as T);
}

/** Fields of one kind. Each may be missing. */
export function optional<Name extends string, T>(kind: z.ZodType<T, string>, ...names: Name[]) {
  const schemas = names.map((name) => [name, kind.optional()]);
  return Object.fromEntries(schemas) as { [name in Name]: z.ZodOptional<typeof kind> };
}
