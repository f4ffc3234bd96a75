import type { Announcement } from './announcement.ts';
import type { ApprovalWord } from './approval-types.ts';
import type { AboveApproved, BudgetAsked, BudgetLimits, OverBudget } from './budget-types.ts';
import type { LedgerMessage, LeftOut, Undecidable } from './chunk-record.ts';
import type { Json } from './json.ts';
import type { Once } from './once.ts';
import type { SameWords, Words } from './repeat-types.ts';
import type { SendRecord } from './send-record.ts';

/** A send to be written as a draft; `expiresInMs` counts from now (`DRAFT_TTL_MS`). */
export interface NewSend
  extends Pick<
    SendRecord,
    'id' | 'team' | 'channelId' | 'instance' | 'account' | 'kind' | 'details' | 'resends' | 'isAsked'
  > {
  /**
   * What replaces the details of a draft that nobody sends: once it is cancelled or superseded, or half an hour after
   * it expired or was declined. If missing, all details stay.
   */
  keeps?: Json;
  /**
   * Outbox topics. They become due when the send ends or expires as a draft, and when its outcome changes after that. A
   * job's also become due while it runs, when chunks are found unknown or get evidence.
   */
  topics: string[];
  expiresInMs: number;
  chunks: LedgerMessage[][];
  /** The request that asks for it: as `firstTime`, in the same step. */
  once?: Once;
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
  /** Details that an undo gives back: kept until a chunk is taken. */
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
  /** Of a decision for sending: the budgets that pay for it, and how many credits it takes. */
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

export interface ResumeAsked {
  /**
   * When the job was last worked on or resumed, as the person was shown it; 0 for never. If somebody resumed it
   * since, it now waits for another reason, which this person has not read.
   */
  seenServedAt?: number | undefined;
  /** The limits of this moment; without them, those of the decision count. */
  limits?: BudgetLimits | undefined;
  /** The person approves up to `upTo` credits; if the list needs that, `details` are remembered. */
  approval?: { upTo: number; details: SendDetailsChange } | undefined;
}

/**
 * The answer to a resume. `over`: the budget or approval that its rest does not fit into; absent if the job was not
 * paused.
 */
export type ResumeResult = { won: true } | { won: false; over?: OverBudget | AboveApproved };

/** The answer to an undo. `won` is true for exactly one of any number of callers. */
export type UndoResult = { won: true; send: SendRecord } | { won: false; send?: SendRecord };
