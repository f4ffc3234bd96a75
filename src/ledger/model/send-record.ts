import type { SendApproval } from './approval-types.ts';
import type { ChunkRecord, UnknownChunks } from './chunk-record.ts';
import type { SendDetailsChange } from './decision-types.ts';
import type { Json } from './json.ts';
import type { ChunkState, UnsentFor } from './outcome-types.ts';

/** A send as it is now. Times here and beside it are ms since 1970, by the store's own clock. */
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
  /** What core and slack remember (`send-details.ts` and `job-details.ts` in core); the ledger does not read it. */
  details: Json;
  /** Of a draft, and of one that expired, was declined or undone and has not forgotten the rest: what stays of its details. */
  keeps?: Json;
  /** Of its outbox rows: see `NewSend`. */
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

export interface SendWithFirstChunk {
  send: SendRecord;
  chunk?: ChunkRecord;
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
