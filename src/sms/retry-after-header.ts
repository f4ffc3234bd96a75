const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;

/**
 * Milliseconds to wait by a Retry-After header: whole seconds or an HTTP date, from 0 to 10 minutes; undefined when
 * there is none that can be read. A date is measured against the answer's own Date header where it has one, so that
 * our clock may be wrong. The service does not document the header ("Limits").
 */
export function readRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - (httpDate(date ?? '') || Date.now());
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** Date.parse takes nearly anything ("-5" is a year); an HTTP date begins with a weekday and is in GMT. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]+, .*GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
