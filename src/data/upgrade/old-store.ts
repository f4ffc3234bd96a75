import { z } from 'zod';

/** A row or hash of the formats before documents: fields of text. */
export type Fields = { [field: string]: string };

type Rows = Iterable<Fields> | AsyncIterable<Fields>;

/** What a store of the formats before documents holds. Most fields have today's names. */
export interface OldStore {
  sends(): Rows;
  /** In the order of their indexes, without gaps. */
  chunksOf(send: string): Rows;
  /** `token`, `lane`, `liveUntil`. */
  permits(): Rows;
  /** `lane`, `until`. */
  rests(): Rows;
  accounts(): Rows;
  episodes(): Rows;
  /** Rows of the outbox. `deadline`: when the bot that posts a row counts as gone. */
  rows(): Rows;
  /** `key`, `expiresAt`. */
  seen(): Rows;
}

/** A whole number, rounded up: some old times have fractions. */
export const whole = z.string().transform((text) => Math.ceil(Number(text)));
/** As `whole`; 0 if the field is missing. */
export const count = whole.default(0);
/** As `whole`; undefined if the field is missing or 0. */
export const notZero = count.transform((figure) => figure || undefined);
/** Text; empty if the field is missing. */
export const text = z.string().default('');

export function json<T>() {
  return z.string().transform((written) => JSON.parse(written) as T);
}

/** Fields of one kind. A document may lack any of them. */
export function optional<Name extends string, T>(kind: z.ZodType<T, string>, ...names: Name[]) {
  const schemas = names.map((name) => [name, kind.optional()]);
  return Object.fromEntries(schemas) as { [name in Name]: z.ZodOptional<typeof kind> };
}
