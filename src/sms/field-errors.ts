/** A complaint of the service about a request, and the field that it named, if any. */
export type FieldError = { field?: string; message: string };

/** Two for each message of a full bulk request. */
const MOST_FIELD_ERRORS = 200;
const MOST_LEVELS = 4;
const FIELD_KEYS = ['field', 'name', 'path', 'param'];
const MESSAGE_KEYS = ['message', 'msg', 'reason', 'error'];

/**
 * Reads the per-field details of an error object, under any name. The service does not document their shape ("Errors"),
 * so we read the usual ones: `{ phone: 'why' }`, `{ phone: ['why'] }`, `[{ field: 'phone', message: 'why' }]` and
 * `['why']`. Returns at most 200, and none if it recognises nothing.
 */
export function readFieldErrors(error: Record<string, unknown>): FieldError[] {
  return Object.values(error)
    .values()
    .filter((value) => typeof value === 'object')
    .flatMap((value) => errorsIn(value, undefined, 0))
    .take(MOST_FIELD_ERRORS)
    .toArray();
}

function* errorsIn(value: unknown, field: string | undefined, depth: number): Generator<FieldError> {
  if (depth > MOST_LEVELS) return;
  if (typeof value === 'string') {
    yield field === undefined ? { message: value } : { field, message: value };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* errorsIn(item, field, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    const named = firstString(record, FIELD_KEYS);
    const message = firstString(record, MESSAGE_KEYS);
    if (named !== undefined && message !== undefined) return yield { field: named, message };
    for (const [key, item] of Object.entries(record)) {
      yield* errorsIn(item, field === undefined ? key : `${field}.${key}`, depth + 1);
    }
  }
}

function firstString(record: Record<string, unknown>, keys: string[]): string | undefined {
  return keys.map((key) => record[key]).find((value) => typeof value === 'string');
}
