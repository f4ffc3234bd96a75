import { Refusal } from '../refusal.ts';
import type { Json } from '../types.ts';

/** Methods of the Web API by name: what they answer besides `ok`. They throw a Refusal. */
export type Methods = Record<string, (args: Json) => Json>;

/** A string argument; undefined when it was not given. Form-coded numbers are strings anyway. */
export function optional(args: Json, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** A string argument. Throws invalid_arguments naming it. */
export function required(args: Json, name: string): string {
  const value = optional(args, name);
  if (value === undefined) throw new Refusal('invalid_arguments', [`missing required field: ${name}`]);
  return value;
}

/** A page of `items` with Slack's cursor. `fallback` is the size of a page that none was asked for. */
export function page<T>(args: Json, items: readonly T[], fallback: number) {
  const cursor = optional(args, 'cursor');
  const limit = Number(optional(args, 'limit') ?? fallback);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new Refusal('invalid_limit');
  const decoded = cursor === undefined ? 'at:0' : Buffer.from(cursor, 'base64').toString();
  const start = /^at:(\d+)$/.exec(decoded)?.[1];
  if (start === undefined) throw new Refusal('invalid_cursor');
  const end = Number(start) + limit;
  const next = end < items.length ? Buffer.from(`at:${end}`).toString('base64') : '';
  return { items: items.slice(Number(start), end), response_metadata: { next_cursor: next } };
}
