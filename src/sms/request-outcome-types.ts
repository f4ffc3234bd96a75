/** Why a request never started: no byte of it was sent, so it may be made again. */
export type NotStartedCause =
  | 'refused'
  | 'dns'
  | 'tls'
  | 'connect_timeout'
  /** Its latest moment to start had passed. */
  | 'too_late'
  | 'other';

/** Why nobody knows what the service did with a request that started. */
export type UnknownCause =
  | 'timeout'
  | 'reset'
  | 'truncated'
  | 'server_error'
  | 'unreadable'
  | 'redirect'
  | 'unexpected_status';

export type NotStarted = {
  outcome: 'not_started';
  cause: NotStartedCause;
  /** The system's or TLS's own error code, e.g. `CERT_HAS_EXPIRED`: for an operator's log. */
  detail?: string;
};

/**
 * The service's error object in its own code and words ("Errors"); unknown codes are kept as they are. The words are
 * bounded, without control characters and without the API key. But they may repeat the number or the text: show them
 * to the person who asked, never log them.
 */
export type ServiceWords = { code: string; message: string };

export type Refused = {
  outcome: 'refused';
  status: number;
  /** 401 is the key, 402 the credits, 422 the request itself. */
  reason: 'key' | 'credits' | 'validation' | 'other';
  /** Credits; with INSUFFICIENT_CREDITS. */
  requiredCredits?: number;
  availableCredits?: number;
  /** The fields in error, as far as the service's undocumented details name them. Same rule as for the words. */
  fields?: string[];
} & ServiceWords;

export type Unknown = { outcome: 'unknown'; cause: UnknownCause; status?: number } & Partial<ServiceWords>;

/**
 * What became of one request.
 * - `accepted`: the documented success with a body that holds what it must;
 * - `refused`: a 4xx with the service's error object;
 * - `rate_limited`: 429 with any body; `retryAfterMs` in ms from now, at most 10 minutes, when the service gave one;
 * - `not_started`: proven that no byte of the request was sent;
 * - `unknown`: everything else. A send may or may not have happened: never repeat it by program.
 */
export type Outcome<Data> =
  | { outcome: 'accepted'; data: Data }
  | Refused
  | { outcome: 'rate_limited'; retryAfterMs?: number }
  | NotStarted
  | Unknown;
