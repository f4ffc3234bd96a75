import type { LedgerMessage } from '../model/chunk-record.ts';
import type { Json } from '../model/json.ts';
import type { SendRecord } from '../model/send-record.ts';

/** Picks what stays of a forgotten send. Core knows what details and results mean. */
export interface Remains {
  details(send: Pick<SendRecord, 'kind' | 'details'>): Json;
  result(result: Json): Json;
  /** What an unknown chunk without evidence gets as evidence: the bot stops looking for it. */
  evidence: Json;
}

/** Hashes a message's number and words for a workspace, as the repeat guard knows them. */
export type HashWords = (team: string, message: LedgerMessage) => string;

/** Which words and numbers to forget. Times are ms by the store's clock. */
export interface ForgetRequest {
  team: string;
  /** Forget sends that ended before this time. */
  endedBefore: number;
  remains: Remains;
}
