import type { Undecidable } from '../../ledger/model/chunk-record.ts';
import type { SameWords } from '../../ledger/model/repeat-types.ts';
import type { Link } from '../../records/schema.ts';
import type { Linked } from '../accounts/links.ts';
import type { SendRefusal } from '../accounts/permissions.ts';
import type { OverBudget } from '../budgets/budgets.ts';

export type { Undecidable } from '../../ledger/model/chunk-record.ts';

/** Fresh credits do not cover an estimate. The send takes `needed` at most, or as little as `least`. */
export interface CreditsShort {
  kind: 'credits_short';
  needed: number;
  least?: number;
  available: number;
}

/** A draft may take more credits than the channel allows without a second person. `asked`: the most that it may take. */
export interface NeedsApproval {
  kind: 'needs_approval';
  asked: number;
  above: number;
  /** Empty: the admins. */
  approvers: readonly string[];
}

/** A list has more recipients than its channel allows. */
export interface ListTooLong {
  kind: 'list_too_long';
  recipients: number;
  most: number;
}

/** The data may be an old copy, and we can't compare the account's books with its balance now. The draft still waits. */
export interface NoBalance {
  kind: 'no_balance';
}

/** The result of pressing Send; `view`: the send after that. */
export type Confirmed<View> =
  | { kind: 'running'; view: View }
  | { kind: 'missing' }
  | { kind: 'not_yours'; owner: string }
  | { kind: 'not_linked'; channel: string }
  | { kind: 'refused'; why: SendRefusal; link: Link }
  | CreditsShort
  | { kind: 'too_late'; why: 'decided' | 'expired'; view: View }
  | { kind: 'repeated' }
  | { kind: 'same_words'; same: SameWords; view: View }
  | ListTooLong
  | NoBalance
  | { kind: 'over_budget'; over: OverBudget; view: View }
  | { kind: 'resend_refused'; why: Undecidable | 'too_early'; view: View }
  | NeedsApproval
  /** Nobody approves what they asked for themselves. */
  | { kind: 'own_request' };

/** A draft that this person may decide; otherwise why not. */
export type Own<View> =
  | { kind: 'own'; draft: View }
  | Extract<Confirmed<View>, { kind: 'missing' | 'not_yours' | 'too_late' }>;

/** Whether somebody may send what was drafted, and by which link. */
export type Standing<View> =
  | { kind: 'stands'; linked: Linked }
  | Extract<Confirmed<View>, { kind: 'not_linked' | 'refused' | 'too_late' }>;

/** The result of a decision to send. */
export type Sent<View> = Exclude<Confirmed<View>, { kind: 'not_yours' | 'not_linked' | 'needs_approval' }>;

/** The result of Cancel, or of submitting an edited draft. */
export type Withdrawn<View> =
  | { kind: 'withdrawn'; view: View }
  | { kind: 'too_late'; view: View }
  | { kind: 'missing' };
