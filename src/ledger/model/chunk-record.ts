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
  /** Until when the attempt may still act; an unknown chunk is not resent or judged before it. */
  deadline?: number;
  notBefore?: number;
  /** 429 answers in a row; those that came while its key rested already don't count. */
  refusals: number;
  /** The account that pays, known once an attempt was made. */
  account?: string;
  /** What the answer said, as core wrote it; opaque here. */
  result?: Json;
  /** Of a sent chunk: the service's own status of its messages where that is not "sent". */
  otherStatus?: string;
  /** Of a chunk that is not sent: why, where that is an outcome of its own. */
  barredFor?: BarredFor;
  evidence?: Json;
  resentAs?: string;
  /** Who said of an unknown chunk that it was sent. No receipt, and the true answer still counts over it. */
  saidSentBy?: string;
  /** Who left an unknown chunk as it is: it no longer waits for a decision, but may still be decided. */
  leftBy?: string;
  settledAt?: number;
  /** Its messages are deleted. Of its answer only the outcome and the cost are left. */
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

/** Why a person can decide nothing about unknown chunks any more. */
export type Undecidable = 'not_unknown' | 'resent_already' | 'said_sent';

/** A message as the ledger keeps it: digits of the number, and the text. */
export interface LedgerMessage {
  phone: string;
  text: string;
  /** Its row in the list that it came from, as a spreadsheet numbers them. */
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
