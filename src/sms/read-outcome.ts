import type { z } from 'zod';
import type { ApiKey } from './api-key.ts';
import { fieldsIn } from './fields-in.ts';
import type { Outcome, Refused, ServiceWords, Unknown, UnknownCause } from './request-outcome-types.ts';
import { readRetryAfter } from './retry-after-header.ts';
import { Failure, Success } from './schema.ts';
import type { Exchange, ResponseHeaders } from './transport.ts';

const WORDS_MAX = 300;
/** Documented as a 500 ("Errors"). A text that failed within the service may have been sent, whatever the status. */
const SERVER_ERROR = 'SERVER_ERROR';
/** Something took too long. If it was a part of the service, the text may have been sent. */
const REQUEST_TIMEOUT = 408;
/** What a 401 is documented to say ("Authentication"). */
const KEY_ERRORS: readonly string[] = ['MISSING_API_KEY', 'INVALID_API_KEY'];

const REASONS: { [status: number]: Refused['reason'] } = { 401: 'key', 402: 'credits', 422: 'validation' };

/** An endpoint: its name for metrics, its path, and the one status and the record of its documented success. */
export type Endpoint<Data> = { name: string; path: string; status: 200 | 201; data: z.ZodType<Data> };

/**
 * The meaning of an exchange ("Endpoints", "Errors", "Limits"). Only the documented success is accepted. Only a 4xx
 * with the service's own error object is a refusal. If that object says that the service failed or took too long, the
 * answer is unknown, like every other answer. So is a 503 with Retry-After: the text may have been sent. If the service
 * repeats the key, the result has the key's hint in its place.
 */
export function readOutcome<Data>(exchange: Exchange, endpoint: Endpoint<Data>, key: ApiKey): Outcome<Data> {
  if (exchange.outcome !== 'answered') return exchange;
  const { status, headers } = exchange;
  if (status === 429) return rateLimited(headers);
  if (status >= 300 && status < 400) return { outcome: 'unknown', cause: 'redirect', status };

  const body = parseJson(exchange.body, key);
  const error = Failure.safeParse(body).data?.error;
  const words = error && { code: cleanWords(error.code, key), message: cleanWords(error.message, key) };
  const unknown = (cause: UnknownCause): Unknown => ({ outcome: 'unknown', cause, status, ...words });

  if (status === endpoint.status) {
    const read = endpoint.data.safeParse(Success.safeParse(body).data?.data);
    return read.success ? { outcome: 'accepted', data: read.data } : unknown('unreadable');
  }
  if (status >= 400 && status < 500) {
    if (!error || !words) return unknown('unreadable');
    if (error.code === SERVER_ERROR || status === REQUEST_TIMEOUT) return unknown('server_error');
    return refused(status, error, words, key);
  }
  return unknown(status >= 500 ? 'server_error' : 'unexpected_status');
}

/** Retry-After counts only here, with a 429: the service did not process the request. */
function rateLimited(headers: ResponseHeaders): Outcome<never> {
  const retryAfterMs = readRetryAfter(single(headers['retry-after']), single(headers.date));
  return { outcome: 'rate_limited', ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function refused(status: number, error: Failure['error'], words: ServiceWords, key: ApiKey): Refused {
  const { code: _code, message: _message, required_credits, available_credits, ...details } = error;
  const fields = fieldsIn(details).map((field) => cleanWords(field, key));
  return {
    outcome: 'refused',
    status,
    reason: REASONS[status] ?? 'other',
    ...words,
    ...(required_credits !== undefined && { requiredCredits: required_credits }),
    ...(available_credits !== undefined && { availableCredits: available_credits }),
    ...(fields.length > 0 && { fields }),
  };
}

/** Whether the service refused the key before it looked at the request. A 401 with a code of its own proves nothing. */
export function isKeyError({ reason, code }: Refused): boolean {
  return reason === 'key' && KEY_ERRORS.includes(code);
}

/** The body as JSON with the key replaced in its texts; undefined when it is none. */
function parseJson(body: string, key: ApiKey): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ''), (_name, value) =>
      typeof value === 'string' ? key.scrub(value) : value,
    );
  } catch {
    return undefined;
  }
}

/** One line without control or direction characters and without the key, at most 300 characters. */
function cleanWords(text: string, key: ApiKey): string {
  const line = text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim();
  const characters = [...key.scrub(line)];
  return characters.length <= WORDS_MAX
    ? characters.join('')
    : `${characters.slice(0, WORDS_MAX - 1).join('')}…`;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
