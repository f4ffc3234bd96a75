import type { Json } from './json.ts';
import type { BarredFor, ChunkState } from './outcome-types.ts';

export interface ChunkRecord {
  send: string;
  index: number;
  parent?: number;
  state: ChunkState;
  messages: LedgerMessage[];
  attempt: number;
  token?: string;
  /** Until when the attempt may still act. Nobody resends or judges an unknown chunk before it. */
  deadline?: number;
  notBefore?: number;
  /** 429 answers in a row, not counting answers during a rest of its key. */
  refusals: number;
  /** The account that pays; missing before the first attempt. */
  account?: string;
  /** What the answer said, as core wrote it. The ledger does not read it. */
  result?: Json;
  /** Of a sent chunk: the service's status of its messages, if that is not "sent". */
  otherStatus?: string;
  /** Of a chunk that is not sent: why, if people see that as an outcome of its own. */
  barredFor?: BarredFor;
  evidence?: Json;
  resentAs?: string;
  /** Who said of an unknown chunk that it was sent. Not a receipt: a late answer still replaces it. */
  saidSentBy?: string;
  /** Who left an unknown chunk as it is: no decision is needed any more, but a person may still decide. */
  leftBy?: string;
  settledAt?: number;
  /** Of a text that somebody sent anyway: the credits of an earlier request, which the service had sent, too. */
  sentBefore?: number;
  /** Retention deleted its messages, and all of its answer but outcome and cost. */
  forgotten?: true;
}

export interface ChunkRef {
  send: string;
  index: number;
}

export interface UnknownChunks {
  send: string;
  indexes: number[];
}

/** Why a person can decide nothing about unknown chunks any more. `forgotten`: their words and numbers are deleted. */
export type Undecidable = 'not_unknown' | 'resent_already' | 'said_sent' | 'forgotten';

/** A message as the ledger keeps it: digits of the number, and the text. */
export interface LedgerMessage {
  phone: string;
  text: string;
  /** Its row in the list, as a spreadsheet numbers rows. */
  row?: number;
}

/** Why messages are not sent. */
export interface LeftOut {
  result: Json;
  barredFor?: BarredFor;
}

export interface LeftOutPart extends LeftOut {
  messages: LedgerMessage[];
}
