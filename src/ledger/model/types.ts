import type { SendApproval } from './approval-types.ts';
import type { SendDetailsChange } from './decision-types.ts';
import type { BarredFor, ChunkState, UnsentFor } from './outcome-types.ts';

/**
 * What the ledger knows: sends, chunks, attempts, accounts, messages to Slack. All times are milliseconds since 1970 by the
 * store's own clock.
 */

/** States of a send: one message or many, from draft to receipt. */
export type SendState =
  | 'draft'
  | 'awaiting_approval'
  | 'running'
  | 'paused'
  | 'finished'
  | 'stopped'
  | 'cancelled'
  | 'superseded'
  | 'declined'
  | 'expired';

/** `single`: one text by POST /messages/send, for a person who waits; `job`: many by send-bulk, in the background. */
export type SendKind = 'single' | 'job';

/** Who asks for a permit: people may use all permits; jobs, polls and evidence keep a tenth free for them. */
export type Priority = 'interactive' | 'background';

/** Plain JSON that the store keeps and never reads. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

/** A message as the ledger keeps it: digits of the number, and the text. */
export interface LedgerMessage {
  phone: string;
  text: string;
  /** Its row in the list that it came from, as a spreadsheet numbers them. */
  row?: number;
}

/** Unknown chunks of one send. */
export interface UnknownChunks {
  send: string;
  indexes: number[];
}

/** Why a person can decide nothing about unknown chunks any more. */
export type Undecidable = 'not_unknown' | 'resent_already' | 'said_sent';

/** One chunk's address. */
export interface ChunkRef {
  send: string;
  index: number;
}

/** A send as it is now. */
export interface SendRecord {
  id: string;
  team: string;
  /** Where it was asked for. */
  channelId: string;
  instance: string;
  /** Who pays; missing if an earlier version drafted it. */
  account?: string;
  kind: SendKind;
  state: SendState;
  /** For core and slack to remember things in; the ledger does not read it. */
  details: Json;
  /** Of a draft, and of one that expired, was declined or undone and has not forgotten the rest: what stays of its details. */
  keeps?: Json;
  topics: string[];
  createdAt: number;
  expiresAt: number;
  decidedAt?: number;
  decidedBy?: string;
  /** No chunk is taken before this; missing if it began with its decision. */
  startsAt?: number;
  /** While it waits for that: details that an undo gives back. */
  ifUndone?: SendDetailsChange;
  endedAt?: number;
  /** Who undid it, before anything of it was taken, and how much was to go. */
  undoneBy?: string;
  undone?: { chunks: number; messages: number };
  pauseReason?: string;
  /** Of a job: when a chunk of it was last taken, or when it was resumed. */
  servedAt?: number;
  /** Breaker of a job: most requests in flight now, and how many unknown answers came in a row. Missing until it moves. */
  inFlightLimit?: number;
  unknownRun?: number;
  /** The unknown chunks that it repeats on a person's word, all of one send. */
  resends?: UnknownChunks;
  approval?: SendApproval;
  /** The person was asked whether to send the same words again: without their word, they count as held back. */
  isAsked?: true;
  /** Of a job: from this drafted chunk on, its messages repeat what others sent, and go all the same. */
  repeatsFrom?: number;
}

/** A chunk as it is now. */
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

/** A send with its first chunk, if it has any. */
export interface SendWithFirstChunk {
  send: SendRecord;
  chunk?: ChunkRecord;
}

/** Why messages are not sent. */
export interface LeftOut {
  result: Json;
  barredFor?: BarredFor;
}

/** Messages of a chunk that are not sent, and why. */
export interface LeftOutPart extends LeftOut {
  messages: LedgerMessage[];
}

/** Counts of a send's chunks and messages by state, and what they were charged. */
export interface Tally {
  states: { [state in ChunkState]: { chunks: number; messages: number } };
  /** Of the messages counted as sent: how many have a status of the service's own instead, by that status. */
  otherStatuses: { [status: string]: number };
  /** Of the messages counted as not sent: how many must not be, by why. */
  barred: { [why in UnsentFor]?: number };
  /** Credits, by the answers. */
  creditsUsed: number;
}

/** Limits that the ledger enforces, from the configuration. */
export interface LedgerLimits {
  /** Permits per window and key ("Limits": 60 requests per minute, per API key, all endpoints). */
  permits: number;
  windowMs: number;
  /** How long an attempt may act before it counts as unknown. */
  leaseMs: number;
  /** Deadline of one request; an unanswered one keeps its permit that much longer. */
  timeoutMs: number;
}
