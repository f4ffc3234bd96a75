/** One complaint of the service about a request; `field` where it named one. */
export type FieldError = { field?: string; message: string };

/** Two for each message of a full bulk request. */
const MAX_FIELD_ERRORS = 200;
const MAX_DEPTH = 4;
const FIELD_KEYS = ['field', 'name', 'path', 'param'];
const MESSAGE_KEYS = ['message', 'msg', 'reason', 'error'];

/**
 * Reads the per-field details of an error object, under any name. The service does not document their shape ("Errors"),
 * so this understands the usual ones: `{ phone: 'why' }`, `{ phone: ['why'] }`, `[{ field: 'phone', message: 'why' }]`
 * and `['why']`. Returns at most 200; none if it recognises nothing.
 */
export function readFieldErrors(error: Record<string, unknown>): FieldError[] {
  const found: FieldError[] = [];
  for (const value of Object.values(error)) {
    if (typeof value === 'object') collect(value, undefined, 0, found);
  }
  return found.slice(0, MAX_FIELD_ERRORS);
}

function collect(value: unknown, field: string | undefined, depth: number, found: FieldError[]): void {
  if (found.length >= MAX_FIELD_ERRORS || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    found.push(field === undefined ? { message: value } : { field, message: value });
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collect(item, field, depth + 1, found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const entries = new Map<string, unknown>(Object.entries(value));
  const named = firstString(entries, FIELD_KEYS);
  const message = firstString(entries, MESSAGE_KEYS);
  if (named !== undefined && message !== undefined) {
    found.push({ field: named, message });
    return;
  }
  for (const [key, item] of entries) {
    collect(item, field === undefined ? key : `${field}.${key}`, depth + 1, found);
  }
}

function firstString(entries: Map<string, unknown>, keys: string[]): string | undefined {
  for (const key of keys) {
    const value = entries.get(key);
    if (typeof value === 'string') return value;
  }
  return undefined;
}
