import type { Announcement } from './announcement.ts';
import type { ApprovalWord } from './approval-types.ts';
import type { AboveApproved, BudgetAsked, BudgetLimits, OverBudget } from './budget-types.ts';
import type { LedgerMessage, LeftOut, Undecidable } from './chunk-record.ts';
import type { Json } from './json.ts';
import type { Once } from './once.ts';
import type { SameWords, Words } from './repeat-types.ts';
import type { Doubt, SendRecord } from './send-record.ts';

/** A send for `draft` to write; `expiresInMs` counts from now (`DRAFT_TTL_MS`). */
export interface NewSend
  extends Pick<
    SendRecord,
    'id' | 'team' | 'channelId' | 'instance' | 'account' | 'kind' | 'details' | 'resends' | 'isAsked'
  > {
  /**
   * Replaces the details of a draft that nobody sends: at once if it is cancelled or superseded, half an hour later if
   * it expired or was declined. If missing, all details stay.
   */
  keeps?: Json;
  /**
   * Outbox topics, due when the send ends or expires as a draft, and when its outcome changes after that. A running
   * job's topics are also due when chunks become unknown or get evidence.
   */
  topics: string[];
  expiresInMs: number;
  chunks: LedgerMessage[][];
  /** The draft that somebody edited into this one. If that may be sent already, this one may be, too. */
  replaces?: string;
  /** The request that asks to send: the same step marks it, as `firstTime` does. */
  once?: Once;
}

/** Details to merge into those of a send; `undefined` forgets one. */
export type SendDetailsChange = { [key: string]: Json | undefined };

/** A person's decision on a draft; `details` are merged into the send's. */
export interface Decision {
  to: 'running' | 'cancelled' | 'superseded' | 'awaiting_approval' | 'declined';
  by: string;
  details?: SendDetailsChange;
  /** How long no chunk may be taken, in ms, so that people can undo the send. */
  startsInMs?: number;
  /** Details that an undo gives back: kept until a chunk is taken. */
  ifUndone?: SendDetailsChange;
  /** Becomes due with a decision for sending. */
  announces?: Announcement;
  /** The request that asks to send: the same step marks it, as `firstTime` does. */
  once?: Once;
  /**
   * Of a single text: how the repeat guard knows it. `allowed`: the send of the same words that the person has read of.
   * Any other such send refuses the decision.
   */
  words?: Words & { allowed?: string };
  /** Of a decision for sending: the budgets that pay, and the credits that the send takes. */
  budget?: BudgetAsked;
  /** The `Doubt` that the person has read: the store may have forgotten an earlier decision to send this. */
  evenIfSent?: string;
  /**
   * Of a decision not to send: the data may be an old copy, which does not know that somebody sent this. If the draft has
   * expired meanwhile, it says so, too.
   */
  mayBeSent?: boolean;
  /** Asks for approval, gives it or declines it. Without it, no request is sent. */
  approval?: ApprovalWord;
  /** Of a list with repeats (`appendChunks`): send them too, or why not. */
  repeats?: 'include' | LeftOut;
}

/** The answer to a decision. `won` is true for exactly one of any number of callers. */
export type DecisionResult =
  | { won: true; send: SendRecord }
  | {
      won: false;
      why:
        | 'missing'
        | 'decided'
        | 'expired'
        | 'repeated'
        | 'may_be_sent'
        | 'too_early'
        | 'own_request'
        | Undecidable;
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

export interface ResumeAsked {
  /**
   * When the job was last worked on or resumed, as the person read it; 0 for never. If somebody resumed it since, it
   * now waits for another reason, which this person has not read.
   */
  seenServedAt?: number | undefined;
  /** What the job must say of requests that it may lack: a later failover brings a doubt that nobody has looked into. */
  doubt?: Doubt | undefined;
  /** The current limits; if missing, the limits of the decision apply. */
  limits?: BudgetLimits | undefined;
  /** The person approves up to `upTo` credits. If the list needs that, `details` are merged. */
  approval?: { upTo: number; details: SendDetailsChange } | undefined;
}

/** The answer to a resume. `over`: the budget or approval without room for the rest, if the job was paused. */
export type ResumeResult = { won: true } | { won: false; over?: OverBudget | AboveApproved };

/** The answer to an undo. `won` is true for exactly one of any number of callers. */
export type UndoResult = { won: true; send: SendRecord } | { won: false; send?: SendRecord };
