import type { Undecidable } from '../../ledger/model/chunk-record.ts';
import type { Json } from '../../ledger/model/json.ts';
import type { KeyUnusable } from '../accounts/key-trouble.ts';
import type { Person } from '../accounts/permissions.ts';
import type { AboveApproved, OverBudget } from '../budgets/budgets.ts';
import type { ListInput, NotSendable } from '../lists/list.ts';
import type { CreditsShort, ListTooLong, NotAllowed, Unlinking } from '../sends/decision-answers.ts';
import type { previewOf } from './job-preview.ts';
import type { rejectedRecipients } from './job-results.ts';
import type { JobView } from './job-view.ts';

/** A list that a person wants to text from a channel. */
export interface JobDraftInput extends Pick<ListInput, 'source' | 'template' | 'phoneColumn' | 'words'> {
  channel: string;
  person: Person;
  /** Slack's id of the file, so that Edit finds it again. */
  fileId?: string;
  /** The draft that the person has edited. */
  replaces?: string | undefined;
  reply: Json;
  onProgress?(rows: number): void;
}

export type JobPreview = Awaited<ReturnType<typeof previewOf>>;

/** Why somebody can't ask for a job here. */
export type JobRefusal =
  | NotAllowed
  | KeyUnusable
  | Unlinking
  | ListTooLong
  /** Every recipient of the list has opted out; `messages`: how many they are. */
  | { kind: 'all_opted_out'; messages: number };

/** The result of checking a list. `wrongCsv`: a file of all wrong rows, for the person. */
export type JobDrafted =
  | { kind: 'draft'; preview: JobPreview; wrongCsv?: Uint8Array }
  | NotSendable
  | JobRefusal;

/** The result of asking for the preview of a resend. `at`: ms since 1970. */
export type ResendDrafted =
  | { kind: 'draft'; preview: JobPreview }
  | { kind: 'missing' }
  | { kind: 'not_yours'; owner: string }
  | { kind: 'too_early'; at: number }
  | { kind: 'resent_already' }
  | { kind: 'said_sent' }
  | { kind: 'none_unknown' }
  | JobRefusal;

/**
 * The result of **They arrived** and **Leave them**. `none_unknown`: no text of the job can be decided any more.
 * `more_unknown`: more texts became unknown since the card was drawn, so nothing was decided.
 */
export type JobUnknownDecision =
  | { kind: 'decided' }
  | { kind: 'missing' }
  | { kind: 'too_late'; why: Undecidable | 'none_unknown' | 'more_unknown' }
  | JobRefusal;

/** Whether a person may approve what a list takes above its approval; `own`: they asked for the list themselves. */
export type RestRight = 'may' | 'own' | 'not_approver';

/** The result of **Pause**, **Resume**, **Stop**. `not_now`: the job has moved on meanwhile. */
export type JobControlled =
  | { kind: 'done'; view: JobView }
  | { kind: 'not_now'; view: JobView }
  | { kind: 'missing' }
  | CreditsShort
  /** The service can't be asked for the balance now, so nothing was resumed. */
  | { kind: 'no_balance' }
  /** Credits are missing from the books, or requests may be, and the person has not read that. The job stays paused. */
  | { kind: 'books'; view: JobView }
  /** The job costs more than estimated, and its rest does not fit into a budget: it stays paused. */
  | { kind: 'over_budget'; over: OverBudget; view: JobView }
  /** The job takes more than was approved, so it stays paused. `proposed`: the credits that we propose to approve. */
  | {
      kind: 'above_approved';
      above: AboveApproved;
      view: JobView;
      proposed: number;
      right: RestRight;
      approvers: readonly string[];
    }
  | JobRefusal;

/** A recipient that the service rejected, with the text it was to get and the service's words. */
export type RejectedRecipient = Awaited<ReturnType<typeof rejectedRecipients>>[number];
