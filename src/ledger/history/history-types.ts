import type { LedgerMessage } from '../model/chunk-record.ts';
import type { SendRecord, Tally } from '../model/send-record.ts';

/** A send's place in the history: the time of its decision (ms since 1970), and its id. */
export interface HistoryPlace {
  at: number;
  id: string;
}

/** Asks for a part of the history of a workspace, of one channel, or of one person in all channels. */
export interface HistoryQuery {
  team: string;
  channelId?: string | undefined;
  /** Who decided. Not together with a channel. */
  by?: string;
  /** Decided at this moment or later. */
  from?: number | undefined;
  /** Decided before this moment. */
  to?: number | undefined;
  /** Reads the newest sends that are older than this one. */
  olderThan?: HistoryPlace | undefined;
  /** Instead of `olderThan`: reads the oldest sends that are newer than this one. */
  newerThan?: HistoryPlace | undefined;
  limit: number;
}

/** A send that somebody decided to send. `messages`: the message of a single text; empty for a job. */
export interface HistoryEntry {
  send: SendRecord;
  tally: Tally;
  messages: LedgerMessage[];
}
