import type { SendApproval } from './approval-types.ts';
import type { ChunkRecord, UnknownChunks } from './chunk-record.ts';
import type { SendDetailsChange } from './decision-types.ts';
import type { Json } from './json.ts';
import type { ChunkState, UnsentFor } from './outcome-types.ts';

/** A send as it is now. Times here and beside it are ms since 1970, by the store's own clock. */
export interface SendRecord {
  id: string;
  team: string;
  /** The channel of the command or form. */
  channelId: string;
  instance: string;
  /** Who pays; missing if an earlier version drafted it. */
  account?: string;
  kind: SendKind;
  state: SendState;
  /** What core and slack remember (`send-details.ts` and `job-details.ts` in core); the ledger does not read it. */
  details: Json;
  /** What stays of its details once a draft, or an expired, declined or undone send, forgets them. */
  keeps?: Json;
  /** Of its outbox rows: see `NewSend`. */
  topics: string[];
  createdAt: number;
  expiresAt: number;
  decidedAt?: number;
  decidedBy?: string;
  /** No chunk is taken before this; missing if the send began with its decision. */
  startsAt?: number;
  /** Until then: details that an undo gives back. */
  ifUndone?: SendDetailsChange;
  endedAt?: number;
  /** Of a draft or a request that expired before its time: why, if the bot knows. */
  expiredFor?: ExpiredFor;
  /** Who undid it before anything was taken, and how much it would have sent. */
  undoneBy?: string;
  undone?: { chunks: number; messages: number };
  pauseReason?: string;
  /** Of a job: when somebody last took a chunk, or resumed the job. */
  servedAt?: number;
  /** A job's breaker: the most requests in flight, and its run of unknown answers; missing until it changes. */
  inFlightLimit?: number;
  unknownRun?: number;
  /** The unknown chunks that it repeats on a person's word, all of one send. */
  resends?: UnknownChunks;
  approval?: SendApproval;
  /** The bot asked whether to send the same words again. If the person does not, they count as held back. */
  isAsked?: true;
  /** Of a draft or a request: bots met another server since. That may have forgotten that somebody sent this. */
  mayBeSent?: Doubt;
  /** Of a job under way: that server may have forgotten requests. Until somebody resumes the job, or takes its next chunk. */
  mayLackRequests?: Doubt;
  /** Of a job: messages from this drafted chunk on repeat other sends, and go all the same. */
  repeatsFrom?: number;
}

/** The doubtful server's name: each failover brings another one. `true`: of an old copy, or of an earlier version. */
export type Doubt = string | true;

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

/** Its channel lost its link, or another instance or account would pay now. */
export type ExpiredFor = 'unlinked' | 'other_payer';

/** `single`: one text by POST /messages/send, for a person who waits; `job`: many by send-bulk, in the background. */
export type SendKind = 'single' | 'job';

export interface SendWithFirstChunk {
  send: SendRecord;
  chunk?: ChunkRecord;
}

/** Counts of a send's chunks and messages by state, and their charge. */
export interface Tally {
  states: { [state in ChunkState]: { chunks: number; messages: number } };
  /** How many of the sent messages have another status of the service, by that status. */
  otherStatuses: { [status: string]: number };
  /** How many messages must not be sent, by reason. */
  barred: { [why in UnsentFor]?: number };
  /** Credits, by the answers. */
  creditsUsed: number;
}
