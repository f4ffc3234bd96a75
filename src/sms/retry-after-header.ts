const LONGEST_RETRY_AFTER_MS = 10 * 60 * 1000;
/** The header has whole seconds, so 0 may mean half a second. Without a minimum, a text would use up all its tries. */
const LEAST_RETRY_AFTER_MS = 1000;

/**
 * Reads a Retry-After header (whole seconds or an HTTP date). Returns 1 second to 10 minutes, in ms, or undefined if the
 * header is missing or unreadable. If the answer has a Date header, a date counts from that, since our clock may be
 * wrong. The service does not document the header ("Limits").
 */
export function readRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - (httpDate(date ?? '') || Date.now());
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, LEAST_RETRY_AFTER_MS), LONGEST_RETRY_AFTER_MS);
}

/** `Date.parse` alone accepts nearly anything ("-5" is a year). An HTTP date begins with a weekday and is in GMT. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]+, .*GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
