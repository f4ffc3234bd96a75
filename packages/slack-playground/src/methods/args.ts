import { Refusal } from '../refusal.ts';
import type { Json } from '../types.ts';

/** Methods of the Web API by name. Each returns its answer without `ok`, or throws a Refusal. */
export type Methods = Record<string, (args: Json) => Json>;

/** An argument as a string; undefined if it is missing or empty. */
export function optional(args: Json, name: string): string | undefined {
  const value = args[name];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** An argument as a string. If it is missing, throws invalid_arguments with its name. */
export function required(args: Json, name: string): string {
  const value = optional(args, name);
  if (value === undefined) throw new Refusal('invalid_arguments', [`missing required field: ${name}`]);
  return value;
}

/** A page of `items` with Slack's cursor; it has `fallback` items if the call gives no `limit`. */
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
