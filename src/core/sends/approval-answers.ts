import type { CreditsShort, NoBalance, Own, Sent, Standing } from './decision-answers.ts';
import type { Estimate } from './estimate.ts';

/** Who declines a request that no longer fits what was drafted. No person has this id. */
export const SWITCHBOARD = 'switchboard';

/** An admin has asked to unlink the channel once its jobs are done. */
type Unlinking = { kind: 'unlinking' };

/** Answers that do not send the request back. */
type Decided = { kind: 'running' | 'missing' | 'too_late' | 'repeated' | 'own_request' | 'no_balance' };

/** What came of **Ask for approval**; `view` is the request. */
export type Asked<View> =
  | { kind: 'asked'; view: View }
  | Exclude<Own<View>, { kind: 'own' }>
  | Exclude<Standing<View>, { kind: 'stands' }>
  | CreditsShort
  | { kind: 'key_refused'; instanceName: string }
  /** None of the approvers can approve it; of the admins, where nobody is named. */
  | { kind: 'nobody_to_ask'; named: readonly string[] }
  | Unlinking;

/** Why an approved request is not sent: it goes back to whoever asked. */
export type Unfit<View> =
  | Exclude<Sent<View> | Standing<View>, Decided | { kind: 'stands' }>
  | { kind: 'key_refused'; instanceName: string }
  /** Texts cost more by now than the request says. */
  | { kind: 'dearer'; was: Estimate; now: Estimate }
  /** Whoever asked has left the channel. */
  | { kind: 'asker_away' }
  /** The number of the text was opted out since. */
  | { kind: 'opted_out' }
  | Unlinking;

/** What came of **Approve and send**. */
export type Approved<View> =
  | { kind: 'running'; view: View }
  | { kind: 'missing' }
  | { kind: 'not_approver'; approvers: readonly string[] }
  | { kind: 'own_request' }
  | { kind: 'too_late'; view: View }
  /** As for **Send**: the request still waits. */
  | NoBalance
  | { kind: 'unfit'; why: Unfit<View> };

/** What came of **Decline**, or of sending a request back. */
export type Declined<View> =
  | { kind: 'declined'; view: View }
  | { kind: 'missing' }
  | { kind: 'not_approver'; approvers: readonly string[] }
  | { kind: 'too_late'; view: View };
