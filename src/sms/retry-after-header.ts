const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;
/** The header counts whole seconds, so 0 may mean less than one. A text without a pause would use up its tries. */
const LEAST_RETRY_AFTER_MS = 1000;

/**
 * How long a Retry-After header (whole seconds or an HTTP date) asks to wait: from 1 second to 10 minutes, in ms. Undefined
 * if there is none, or it can't be read. A date is compared with the answer's own Date header, if it has one, since our clock
 * may be wrong. The service does not document the header ("Limits").
 */
export function readRetryAfter(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - (httpDate(date ?? '') || Date.now());
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, LEAST_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
}

/** `Date.parse` alone accepts nearly anything ("-5" is a year). An HTTP date begins with a weekday and is in GMT. */
function httpDate(text: string): number {
  return /^[A-Z][a-z]+, .*GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
