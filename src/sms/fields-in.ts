/** Two for each message of a full bulk request. */
const MOST_FIELDS = 200;
const MOST_LEVELS = 4;
const FIELD_KEYS = ['field', 'name', 'path', 'param'];
const MESSAGE_KEYS = ['message', 'msg', 'reason', 'error'];

/**
 * The fields that an error object complains of, under any name. The service does not document the shape of its details
 * ("Errors"), so we read the usual ones: `{ phone: 'why' }`, `{ phone: ['why'] }` and
 * `[{ field: 'phone', message: 'why' }]`. Returns at most 200, and none if it recognises nothing.
 */
export function fieldsIn(error: Record<string, unknown>): string[] {
  return Object.values(error)
    .values()
    .filter((value) => typeof value === 'object')
    .flatMap((value) => complaints(value, '', 0))
    .take(MOST_FIELDS)
    .toArray();
}

function* complaints(value: unknown, field: string, depth: number): Generator<string> {
  if (depth > MOST_LEVELS) return;
  if (typeof value === 'string') {
    if (field !== '') yield field;
  } else if (Array.isArray(value)) {
    for (const item of value) yield* complaints(item, field, depth + 1);
  } else if (typeof value === 'object' && value !== null) {
    const record = value as Record<string, unknown>;
    const named = firstString(record, FIELD_KEYS);
    if (named !== undefined && firstString(record, MESSAGE_KEYS) !== undefined) return yield named;
    for (const [key, item] of Object.entries(record)) {
      yield* complaints(item, field === '' ? key : `${field}.${key}`, depth + 1);
    }
  }
}

function firstString(record: Record<string, unknown>, keys: string[]): string | undefined {
  return keys.map((key) => record[key]).find((value) => typeof value === 'string');
}
