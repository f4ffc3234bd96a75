import type { Decision, SendDetailsChange } from './decision-types.ts';
import type { SendRecord, SendState } from './send-record.ts';

/** The states of a send, and what a decision makes of a draft. All functions are pure. */

/** In which states somebody has decided to send it. */
export const WAS_CONFIRMED: { [state in SendState]: boolean } = {
  draft: false,
  awaiting_approval: false,
  cancelled: false,
  superseded: false,
  declined: false,
  expired: false,
  running: true,
  paused: true,
  finished: true,
  stopped: true,
};

/** Whether nobody has decided yet what becomes of a send: it expires otherwise. */
export function isUndecidedSend(state: SendState): boolean {
  return state === 'draft' || state === 'awaiting_approval';
}

/** Whether it was decided for sending and has not ended. */
export function isUnderWay(state: SendState): boolean {
  return state === 'running' || state === 'paused';
}

/** How long a single send waits to be taken, after its decision or its last wait, in ms. Then it is not sent. */
export const STALE_AFTER_MS = 10_000;

/** Whether people have read what they may do next: at the end of a send, and while it is paused. */
export function showsOutcome(send: SendRecord): boolean {
  return hasEnded(send) || send.state === 'paused';
}

/** A job that nobody worked on for longer than this, in ms, does not go on by itself. */
export const UNATTENDED_MS = 900_000;

/** Since when nobody worked on a running job, in ms by the store's clock; undefined if somebody did lately. */
export function unattendedSince({ servedAt, decidedAt = 0 }: SendRecord, now: number): number | undefined {
  const since = servedAt ?? decidedAt;
  return Math.abs(now - since) > UNATTENDED_MS ? since : undefined;
}

/** The send with these details merged into its own, without those that are `undefined`. */
export function withDetails<Send extends { details: SendRecord['details'] }>(
  send: Send,
  details: SendDetailsChange,
): Send {
  if (Object.keys(details).length === 0) return send;
  const merged: SendDetailsChange = { ...(send.details as object), ...details };
  for (const name in details) if (details[name] === undefined) delete merged[name];
  return { ...send, details: merged };
}

/** When work on a send could begin: after its decision and its undo time. */
export function beginOf({ startsAt, decidedAt = 0 }: SendRecord): number {
  return startsAt ?? decidedAt;
}

/** From when a send may go out: a draft from its beginning, a decided send once work on it could begin. */
export function mayGoFrom(send: SendRecord): number {
  return isUndecidedSend(send.state) ? send.createdAt : beginOf(send);
}

/** How long an undone send, or a draft that nobody sends, keeps its details, in ms: as a `response_url` lives. */
export const UNSENT_DETAILS_KEPT_MS = 1_800_000;

/** The draft, or the request for approval, after its decision. The person who asked for approval remains the sender. */
export function decideDraft(draft: SendRecord, decision: Decision, at: number): SendRecord {
  const { to, by, details = {}, startsInMs = 0, ifUndone, approval: word } = decision;
  const { approval } = draft;
  const isAnswered = approval && (to === 'running' || to === 'declined');
  const { reason } = word ?? {};
  return {
    ...withDetails(withoutSpent(draft, to), details),
    state: to,
    decidedAt: at,
    decidedBy: approval?.askedBy ?? by,
    ...(decision.mayBeSent && { mayBeSent: draft.mayBeSent ?? true }),
    ...(isAnswered && { approval: { ...approval, by, at, ...(reason !== undefined && { reason }) } }),
    ...(to !== 'running' && { endedAt: at }),
    ...(to === 'running' && startsInMs > 0 && { startsAt: at + startsInMs, ...(ifUndone && { ifUndone }) }),
  };
}

/** Without details that nobody needs after the decision. A declined request keeps what **Edit** needs, for a while. */
function withoutSpent(draft: SendRecord, to: Decision['to']): SendRecord {
  if (to === 'declined') return draft;
  const { keeps: _over, ...send } = to === 'running' ? draft : forgetDetails(draft);
  return send;
}

/** Whether nobody sends it any more, but it may still have details for a new draft. */
export function mayHoldDetails({ state, keeps }: Pick<SendRecord, 'state' | 'keeps'>): boolean {
  return (state === 'expired' || state === 'declined' || state === 'cancelled') && keeps !== undefined;
}

/** A send with what it keeps in place of its details. */
export function forgetDetails({ keeps, ...send }: SendRecord): SendRecord {
  return { ...send, details: keeps ?? send.details };
}

/** Whether a decided send has nothing more to do, unless a late answer arrives. */
export function hasEnded(send: SendRecord): boolean {
  return send.state === 'finished' || send.state === 'stopped';
}

/**
 * Whether more of a send may have gone out than the store says. A text that was stopped may have waited in an older copy
 * of the data. A store that has failed over may lack requests of a list.
 */
export function mayHaveGoneOut({ kind, state, mayLackRequests }: SendRecord): boolean {
  return mayLackRequests !== undefined || (kind === 'single' && state === 'stopped');
}
