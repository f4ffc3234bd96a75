import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { BarredFor } from '../../ledger/model/outcome-types.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { ApiKey } from '../../sms/api-key.ts';
import type { InputErrorCode } from '../../sms/errors.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { BulkResult, SendResult } from '../../sms/schema.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Moment } from '../clock.ts';

/** A chunk that the ledger handed over, with all that its request needs. */
export interface Attempt {
  instance: Instance;
  key: ApiKey;
  send: SendRecord;
  chunk: ChunkRecord;
  token: string;
  /** When we asked the ledger for the chunk. */
  issued: Moment;
  /** For a job: how long to wait before another try if the service can't be reached, in ms. */
  retryMs: number;
}

/** Why we made no request, for the log. `unread`: a check of whether we may make it has failed. */
type WhyNone = BarredFor | 'other_account' | 'stale' | 'held_back' | 'unread';

/** What became of a request. `forbidden`: our client refused the message by the service's own rules. */
export type Requested = Outcome<SendResult | BulkResult> | { outcome: 'forbidden'; code: InputErrorCode };

/** The outcome of an attempt's request, or why we made none, and what becomes of the chunk. */
export interface Ended {
  outcome: Requested | { outcome: WhyNone };
  settlement: Settlement;
}

export function withoutRequest(outcome: WhyNone, settlement: Settlement): Ended {
  return { outcome: { outcome }, settlement };
}
