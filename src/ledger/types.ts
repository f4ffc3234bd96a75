import type { ApprovalWord, SendApproval } from './model/approval-types.ts';
import type { BudgetAsked, OverBudget } from './model/budget-types.ts';
import type { SameWords, Words } from './model/repeat-types.ts';

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

/** States of a chunk: 1–100 messages that travel in one request. */
export type ChunkState =
  | 'pending'
  | 'sending'
  | 'sent'
  | 'rejected'
  | 'not_sent'
  | 'unknown'
  | 'cancelled'
  | 'split';

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

/** Something that may be asked for more than once, and is done once within its time to live. */
export interface Once {
  key: string;
  ttlMs: number;
}

/** A send to be written as a draft; `expiresInMs` counts from now. */
export interface NewSend {
  id: string;
  team: string;
  /** Where it was asked for: the channel's id. */
  channelId: string;
  instance: string;
  kind: SendKind;
  /** Whatever core and slack want to remember of it; opaque here. */
  details: Json;
  /**
   * What stays of the details of a draft that nobody sends: in their place once it is cancelled or superseded, and half
   * an hour after it expired or was declined. All of them where this is missing.
   */
  keeps?: Json;
  /**
   * Outbox topics that become due when the send ends or expires as a draft, and again when its outcome changes after
   * that. A job's also when
   * chunks of it are found unknown, or get evidence, while it goes on.
   */
  topics: string[];
  expiresInMs: number;
  chunks: LedgerMessage[][];
  /** The unknown chunks that this send repeats on a person's word, all of one send. */
  resends?: UnknownChunks;
  /** What asks for it: as `firstTime`, in the same step. */
  once?: Once;
  /** The person is asked whether to send the same words again: they are held back where nobody says so. */
  isAsked?: true;
}

/** Unknown chunks of one send. */
export interface UnknownChunks {
  send: string;
  indexes: number[];
}

/** An unknown chunk that needs a decision, and how many messages it holds. */
export interface UndecidedChunk {
  ref: ChunkRef;
  team: string;
  kind: SendRecord['kind'];
  messages: number;
}

/** Why a person can decide nothing about unknown chunks any more. */
export type Undecidable = 'not_unknown' | 'resent_already' | 'said_sent';

/** What came of a person's word that unknown chunks were sent. `won` is true for exactly one of any number of callers. */
export type SaidSentResult = { won: true } | { won: false; why: Undecidable };

/** One chunk's address. */
export interface ChunkRef {
  send: string;
  index: number;
}

/** A send as it is now. */
export interface SendRecord {
  id: string;
  team: string;
  channelId: string;
  instance: string;
  kind: SendKind;
  state: SendState;
  details: Json;
  /** Of a draft, and of one that expired, was declined or undone and has not forgotten the rest: what stays of its details. */
  keeps?: Json;
  topics: string[];
  createdAt: number;
  expiresAt: number;
  decidedAt?: number;
  decidedBy?: string;
  /** Nothing of it is taken before this; missing where it began with its decision. */
  startsAt?: number;
  /** Of one that waits so: what its details get back where it is undone. */
  ifUndone?: SendDetailsChange;
  endedAt?: number;
  /** Who undid it, before anything of it was taken, and how much was to go. */
  undoneBy?: string;
  undone?: { chunks: number; messages: number };
  pauseReason?: string;
  /** When a chunk of it was last taken, or when it was resumed. */
  servedAt?: number;
  /** Breaker of a job: most requests in flight now, and how many unknown answers came in a row. */
  inFlightLimit: number;
  unknownRun: number;
  resends?: UnknownChunks;
  approval?: SendApproval;
  /** The person was asked whether to send the same words again. */
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
  settledAt?: number;
  /** Its messages are deleted. Of its answer only the outcome and the cost are left. */
  forgotten?: true;
}

/** A send with its first chunk, if it has any. */
export interface SendWithFirstChunk {
  send: SendRecord;
  chunk?: ChunkRecord;
}

/** What to remember of a send beside what is remembered already; `undefined` forgets. */
export type SendDetailsChange = { [key: string]: Json | undefined };

/** How a draft is decided: who decides, and what to remember of it (merged into the send's details). */
export interface Decision {
  to: 'running' | 'cancelled' | 'superseded' | 'awaiting_approval' | 'declined';
  by: string;
  details?: SendDetailsChange;
  /** Nothing of it is taken for this long, in ms, so that it can be undone. */
  startsInMs?: number;
  /** What its details get back where it is undone: kept until something of it is taken. */
  ifUndone?: SendDetailsChange;
  /** Becomes due with a decision for sending. */
  announces?: Announcement;
  /** What asks for it: as `firstTime`, in the step that decides. */
  once?: Once;
  /**
   * Of a single text: what the repeat guard knows it by. `allowed`: the send of the same words that the person was told
   * of; any other one refuses the decision.
   */
  words?: Words & { allowed?: string };
  /** Of a decision for sending: what it takes of which budgets. */
  budget?: BudgetAsked;
  /** Asks for approval, gives it or declines it. A request is sent with it only. */
  approval?: ApprovalWord;
  /** Of a list with repeats (`appendChunks`): whether they go too, or why they are not sent. */
  repeats?: 'include' | LeftOut;
}

/** The answer to a decision. `won` is true for exactly one of any number of callers. */
export type DecisionResult =
  | { won: true; send: SendRecord }
  | {
      won: false;
      why: 'missing' | 'decided' | 'expired' | 'repeated' | 'too_early' | 'own_request' | Undecidable;
      send?: SendRecord;
    }
  | { won: false; why: 'same_words'; same: SameWords; send: SendRecord }
  | { won: false; why: 'over_budget'; over: OverBudget; send: SendRecord };

/** Who undoes a send, and what to remember of it: `details` for half an hour, then only what it `keeps`. */
export interface Undo {
  by: string;
  details: SendDetailsChange;
  keeps: Json;
}

/** The answer to an undo. `won` is true for exactly one of any number of callers. */
export type UndoResult = { won: true; send: SendRecord } | { won: false; send?: SendRecord };

/** A request for a permit. */
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
  /** Of unknown ones, where it is plain already that the balance can tell nothing of them. */
  evidence?: Json;
}

/** Why messages must not be sent, where people see that as an outcome of its own. */
export type BarredFor = 'opted_out' | 'repeated';

/** The same of a send that may have been undone. */
export type UnsentFor = BarredFor | 'undone';

/** Why messages are not sent. */
export interface LeftOut {
  result: Json;
  barredFor?: BarredFor;
}

/** Messages of a chunk that are not sent, and why. */
export interface LeftOutPart extends LeftOut {
  messages: LedgerMessage[];
}

/** Not settled: the chunk has another attempt or a final state; nothing was changed. */
export type SettleResult = { settled: true; send: SendRecord; chunk: ChunkRecord } | { settled: false };

/** An account's money as far as it is known. */
export interface AccountRecord {
  id: string;
  /** The latest figure: receipts lower it at once, only a quiet balance read raises it. */
  credits: number;
  asOf: number;
  /** Counts what was begun and what was settled: where it does not change, nothing was charged. */
  activity: number;
  /** A balance read with nothing of the account in flight, and what receipts took since. */
  baseline?: { credits: number; at: number; receiptsSince: number };
}

/** Taken before a balance read, handed back with its figure: tells whether the account was quiet in between. */
export interface BalanceMarker {
  account: string;
  activity: number;
  nothingSending: boolean;
  idle: boolean;
  /** When the account's baseline was read: another read may be recorded meanwhile. */
  baselineAt?: number;
  /** The permit of the read, which ends when its figure is recorded. */
  permit?: Pick<PermitRequest, 'rateLimitKey' | 'token'>;
}

/** What evidence needs: the baseline, and the unknown chunks that have none yet. */
export interface EvidenceCase {
  account: AccountRecord;
  unknowns: ChunkRecord[];
  /** From when on all of the unknowns' deadlines have passed. */
  readyAt: number;
}

/** Evidence on one unknown chunk. `charge`: what the chunk cost by it, in credits, if it says so. */
export interface FoundEvidence {
  ref: ChunkRef;
  evidence: Json;
  charge?: number;
}

/** A message to Slack that must arrive. The store keeps topic and subject; what it says is made when it is posted. */
export interface OutboxRow {
  id: string;
  topic: string;
  subject: string;
  details: Json;
  /** Where it was posted before, as the poster wrote it: a changed row updates that message. */
  posted?: Json;
  /** How often it was tried since it last arrived. */
  attempts: number;
  /** When it became due, by this revision. */
  since: number;
  /** Whether others are due as well. */
  areMore: boolean;
}

/** Posts what this process announces. Every token that it gave is ended by `post` or `lost`. */
export interface Poster {
  /** How long a row is taken for, in ms. */
  leaseMs: number;
  /** A token for one more row; undefined where there is no room for it. */
  token(): string | undefined;
  /** The store has this row, taken by the token; undefined where the token took none. */
  post(token: string, row: OutboxRow | undefined): void;
  /** The store did not answer: the token may have taken a row. `takeDue` with it finds that row. */
  lost(token: string): void;
  /** Rows are due that nobody has taken. */
  wake(): void;
}

/** An outbox row to be made due; the same id again makes it due once more, with its new details. */
export interface Announcement {
  id: string;
  topic: string;
  subject: string;
  details: Json;
  /**
   * It is due no sooner than `spacingMs` after it was last posted. Kept with the row: a later announcement need not
   * repeat it.
   */
  spacingMs?: number;
}

/** A named state with one winner for every change of it, such as a link's low-credit alert. */
export interface NamedState {
  name: string;
  state: string;
  details: Json;
  movedAt: number;
  /** Nobody needs it any more: retention may delete it. */
  isOver?: true;
}

/** A change of a named state. */
export interface StateChange {
  /** The state that it must have; `undefined`: it must not be there yet. */
  from: string | undefined;
  to: string;
  details: Json;
  /** Nobody needs this state any more: retention may delete it. */
  isOver?: boolean;
  /** Become due in the same step. */
  announcements?: Announcement[];
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

/** What waits, for whoever watches the bot; a time is missing where nothing waits. */
export interface Backlog {
  /** Pending chunks of running sends, by who asks for their permits. */
  waiting: { [priority in Priority]: number };
  /** When the oldest running job that has pending chunks was decided. */
  jobSince?: number;
  /** Since when the oldest outbox row waits to be posted, however often it was tried. */
  outboxSince?: number;
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

/** Work that somebody should do now. */
export interface PendingWork {
  /** Instances that have something to take, by who asks for their permits. */
  work: { [priority in Priority]: { team: string; instance: string }[] };
  /** Whether `recover` has something to do. */
  needsRecovery: boolean;
  /** Whether a message to Slack is due. */
  isOutboxDue: boolean;
  /** Accounts that have unknown chunks without evidence. */
  unexplained: string[];
  /** Whether a Home is due for a look. */
  isHomeDue: boolean;
}
