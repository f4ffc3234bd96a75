import type { ChunkRecord, LedgerMessage, LeftOutPart } from './chunk-record.ts';
import type { Json } from './json.ts';
import type { Priority } from './ledger-limits.ts';
import type { BarredFor } from './outcome-types.ts';
import type { SendRecord } from './send-record.ts';

/** Whether the service answered a request with 429: its key rests then. */
export function isRateLimited(request: RequestOutcome): request is RateLimited {
  return typeof request === 'object';
}

export interface PermitRequest {
  /** The fingerprint of the key: permits belong to it. */
  rateLimitKey: string;
  priority: Priority;
  /** Chosen by the caller; the only proof of ownership. */
  token: string;
}

/** A request for the next chunk of an instance together with a permit of its key. */
export interface TakeRequest extends PermitRequest {
  instance: string;
  account: string;
}

/** Nothing is to be had now. */
export interface Wait {
  kind: 'wait';
  /** When it is worth asking again. */
  until: number;
  /** Set where the key rests until then, since the service answered one of its requests with 429. */
  rests?: true;
}

/**
 * What came of it. `idle`: nothing is pending. `unattended`: nobody has worked on the next job since then
 * (`UNATTENDED_MS`), so it must be paused first.
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

/** What became of a request: decides how long its permit stays live, and whether its key rests. */
export type RequestOutcome = 'never_started' | 'answered' | 'unanswered' | RateLimited;

/** The service answered 429, so nothing was processed. */
export interface RateLimited {
  /** How long the service asks that the key be left alone, in ms; a window where it doesn't say. */
  restMs: number | undefined;
}

/** Credits that an answer names. */
export interface Receipt {
  creditsUsed: number;
  creditsRemaining: number;
}

/**
 * How an attempt ended. Only its owner, by token, can say so. `pause`: a running job is paused in the same step, for
 * this reason.
 */
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
      /** Milliseconds from now before which it is not taken again, beside any rest of its key. */
      waitMs: number;
      pause?: string;
    }
  | {
      /**
       * Nothing of it was processed: it goes on as smaller chunks, and some messages may be left out. At least one child
       * goes on.
       */
      to: 'split';
      request: 'never_started' | 'answered' | RateLimited;
      children: LedgerMessage[][];
      /** Messages that must not leave, by why. */
      leftOut?: LeftOutPart[];
      /**
       * The most requests for a drafted chunk and all the chunks it is split into. Where the split could take more,
       * `otherwise` counts.
       */
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
  /** Of unknown messages, if it is clear already that the balance tells nothing about them. */
  evidence?: Json;
}

/** Not settled: the chunk has another attempt or a final state; nothing was changed. */
export type SettleResult = { settled: true; send: SendRecord; chunk: ChunkRecord } | { settled: false };
