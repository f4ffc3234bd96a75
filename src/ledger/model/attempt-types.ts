import type { ChunkRecord, LedgerMessage, LeftOutPart } from './chunk-record.ts';
import type { Json } from './json.ts';
import type { Priority } from './ledger-limits.ts';
import type { BarredFor } from './outcome-types.ts';
import type { SendRecord } from './send-record.ts';

/** Whether the service answered a request with 429, so that its key rests. */
export function isRateLimited(request: RequestEnd): request is RateLimited {
  return typeof request === 'object';
}

export interface PermitRequest {
  /** The key's fingerprint: permits belong to it. */
  rateLimitKey: string;
  priority: Priority;
  /** Chosen by the caller; the only proof of ownership. */
  token: string;
}

/** A request for the next chunk of an instance together with a permit of its key. */
export interface TakeRequest extends PermitRequest {
  instance: string;
  account: string;
  /** Take no single text that could begin by then (ms, the store's clock): the data may be an old copy. */
  skipTextsUntil?: number | undefined;
}

/** Nothing can be taken now. */
export interface Wait {
  kind: 'wait';
  /** When the caller should ask again. */
  until: number;
  /** The key rests until then, since the service answered one of its requests with 429. */
  rests?: true;
}

/**
 * The answer to a `TakeRequest`. `idle`: nothing is pending. `unattended`: nobody has worked on the next job after `since`,
 * more than `UNATTENDED_MS` ago. So the caller must pause it first.
 */
export type TakeResult =
  | {
      kind: 'taken';
      send: SendRecord;
      chunk: ChunkRecord;
      /** Whether more of the instance waits for this priority. */
      areMore: boolean;
    }
  | { kind: 'unattended'; send: SendRecord; since: number }
  | Wait
  | { kind: 'idle' };

/** How a request ended: decides how long its permit stays live, and whether the key rests. */
export type RequestEnd = 'never_started' | 'answered' | 'unanswered' | RateLimited;

/** The service answered 429, so nothing was processed. */
export interface RateLimited {
  /** How long the key should rest, in ms, by the service; a window if undefined. */
  restMs: number | undefined;
}

/** Credits that an answer names. */
export interface Receipt {
  creditsUsed: number;
  creditsRemaining: number;
}

/** How an attempt ended: only its owner, by token, can say so. `pause`: why the same step pauses a running job. */
export type Settlement =
  | { to: 'sent'; request: 'answered'; receipt: Receipt; result: Json; otherStatus?: string }
  | { to: 'rejected'; request: 'answered'; result: Json; pause?: string }
  | {
      to: 'not_sent';
      request: 'never_started' | 'answered' | RateLimited;
      result: Json;
      barredFor?: BarredFor;
    }
  | { to: 'unknown'; request: 'answered' | 'unanswered'; result: Json; pause?: string }
  | {
      to: 'pending';
      request: 'never_started' | 'answered' | RateLimited;
      /** Nobody takes it again for this long, in ms, beside any rest of its key. */
      waitMs: number;
      pause?: string;
    }
  | {
      /** The service processed none of it: at least one smaller chunk goes on, and some messages may be left out. */
      to: 'split';
      request: 'never_started' | 'answered' | RateLimited;
      children: LedgerMessage[][];
      /** Messages that must not be sent, by reason. */
      leftOut?: LeftOutPart[];
      /** The most requests for a drafted chunk and all its splits. If the split could take more, `otherwise` counts. */
      mostRequests: number;
      otherwise: Settlement;
      result?: Json;
    }
  | {
      /** The answer has an outcome for each message: `split` into chunks that have their outcome already. */
      to: 'resolved_per_message';
      request: 'answered';
      receipt: Receipt;
      parts: ResolvedPart[];
    };

/** Some messages of a chunk, and what the answer says of them. */
export interface ResolvedPart {
  state: 'sent' | 'unknown';
  messages: LedgerMessage[];
  result: Json;
  otherStatus?: string;
  /** Of unknown messages, if the balance can tell nothing about them. */
  evidence?: Json;
}

/** Not settled: the chunk has another attempt or a final state, and nothing has changed. */
export type SettleResult = { settled: true; send: SendRecord; chunk: ChunkRecord } | { settled: false };
