import type { Undecidable } from '../../ledger/model/chunk-record.ts';
import type { SameWords } from '../../ledger/model/repeat-types.ts';
import type { Link } from '../../records/schema.ts';
import type { KeyUnusable } from '../accounts/key-trouble.ts';
import type { Linked } from '../accounts/links.ts';
import type { SendRefusal } from '../accounts/permissions.ts';
import type { OverBudget } from '../budgets/budgets.ts';
import type { Estimate } from './estimate.ts';

export type { Undecidable } from '../../ledger/model/chunk-record.ts';

/** Somebody may not send from a channel. */
export type NotAllowed =
  | { kind: 'not_linked'; channel: string }
  | { kind: 'refused'; why: SendRefusal; link: Link };

/** An admin has asked to unlink the channel once its jobs are done. */
export type Unlinking = { kind: 'unlinking' };

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
export type ListTooLong = { kind: 'list_too_long'; recipients: number; most: number };

/** The result of a decision that one caller wins: it is `Done`, or another one came first. `view`: the send after that. */
export type DecidedOnce<Done extends string, View> =
  | { kind: Done; view: View }
  | { kind: 'too_late'; view: View }
  | { kind: 'missing' };

/** The result of pressing Send; `view`: the send after that. */
export type Confirmed<View> =
  | DecidedOnce<'running', View>
  | { kind: 'not_yours'; owner: string }
  | NotAllowed
  | CreditsShort
  | KeyUnusable
  | Unlinking
  | { kind: 'repeated' }
  | { kind: 'same_words'; same: SameWords; view: View }
  /** The store met another server since, and may have forgotten that somebody sent the draft. It still waits. */
  | { kind: 'may_be_sent'; view: View }
  | ListTooLong
  /** The data may be an old copy, and we can't compare the account's books with its balance now. The draft still waits. */
  | { kind: 'no_balance' }
  | { kind: 'over_budget'; over: OverBudget; view: View }
  | { kind: 'resend_refused'; why: Undecidable | 'too_early' }
  | NeedsApproval
  /** Nobody approves what they asked for themselves. */
  | { kind: 'own_request' };

/** The answers of these kinds. */
type Answer<View, Kind extends Confirmed<View>['kind']> = Extract<Confirmed<View>, { kind: Kind }>;

/** A draft that this person may decide; otherwise why not. */
export type Own<View> = { kind: 'own'; draft: View } | Answer<View, 'missing' | 'not_yours' | 'too_late'>;

/** The link of a draft that this person may send; otherwise why not. */
export type SendableDraft<View> =
  | { kind: 'sendable'; linked: Linked }
  | Answer<View, NotAllowed['kind'] | 'unlinking' | 'too_late'>;

/** The result of a decision to send. */
export type Sent<View> = Exclude<
  Confirmed<View>,
  { kind: 'not_yours' | 'not_linked' | 'unlinking' | 'needs_approval' }
>;

/** A draft has expired, since the bot may have sent it already; or nobody can tell now. */
export type Doubtful<View> = Answer<View, 'no_balance' | 'too_late'>;

/** The result of Cancel. */
export type Withdrawn<View> = DecidedOnce<'withdrawn', View>;

/** The result of submitting an edited draft. With `no_balance`, as for **Send**, the draft still waits. */
export type Superseded<View> = Withdrawn<View> | Doubtful<View>;

/** Who declines a request that no longer fits what was drafted. No person has this id. */
export const SWITCHBOARD = 'switchboard';

/** The result of **Ask for approval**; `view` is the request. */
export type Asked<View> =
  | { kind: 'asked'; view: View }
  | Exclude<Own<View> | SendableDraft<View>, { kind: 'own' | 'sendable' }>
  | CreditsShort
  | KeyUnusable
  /** None of the approvers can approve it; if nobody is named, none of the admins. */
  | { kind: 'nobody_to_ask'; named: readonly string[] };

/** Answers that do not send a request back to whoever asked. */
type Settled = 'running' | 'missing' | 'too_late' | 'repeated' | 'own_request' | 'no_balance' | 'may_be_sent';

/** Why an approved request is not sent: it goes back to whoever asked. */
export type Unfit<View> =
  | Exclude<Confirmed<View>, { kind: Settled | 'not_yours' | 'needs_approval' }>
  /** Texts cost more by now than the request says. */
  | { kind: 'dearer'; was: Estimate; now: Estimate }
  /** Whoever asked has left the channel. */
  | { kind: 'asker_away' }
  /** The number of the text was opted out since. */
  | { kind: 'opted_out' };

/** The person may not decide the request: only these may, or the admins if it is empty. */
type NotApprover = { kind: 'not_approver'; approvers: readonly string[] };

/** The result of **Approve and send**. With `no_balance` and `may_be_sent`, as for **Send**, the request still waits. */
export type Approved<View> =
  | DecidedOnce<'running', View>
  | NotApprover
  | Answer<View, 'own_request' | 'no_balance' | 'may_be_sent'>
  | { kind: 'unfit'; why: Unfit<View> };

/** The result of **Decline**, or of sending a request back. */
export type Declined<View> = DecidedOnce<'declined', View> | NotApprover;
