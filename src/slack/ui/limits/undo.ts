import type { JobView } from '../../../core/jobs/job-view.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { button, type Message, message, typed } from '../blocks.ts';
import { draftOf, nothingSent } from '../expired-draft.ts';
import { ACTIONS } from '../ids.ts';
import { listOf } from '../lists/job-headline.ts';
import { shortRecipient } from '../outcome-words.ts';
import { capitalised, mention, plural, timeToTheSecond } from '../words.ts';

function undone(view: SendView | JobView): string {
  return `↩️ Undone. ${capitalised(nothingSent(view))}, 0 credits used${view.resends ? ' for that' : ''}.`;
}

/** A send that waits before it begins. `startsAt`: ms since 1970. */
type Waiting = { startsAt: number };

/** Whether a send still waits for its undo time. Slack can't count down, so a card says when the send begins. */
export function isBeforeStart<V extends SendView | JobView>(view: V, now: number): view is V & Waiting {
  return view.state === 'running' && view.startsAt !== undefined && view.startsAt > now;
}

/** `*Undo* until 14:02:10` */
export function undoUntil({ startsAt }: Waiting): string {
  return `*Undo* until ${timeToTheSecond(startsAt)}`;
}

function sendingIn({ startsAt }: Waiting, now: number, what: string): string {
  return `⏳ *Sending in ${Math.ceil((startsAt - now) / 1000)} s*${what}\nIt goes out at ${timeToTheSecond(startsAt)}. *Undo* takes it back until then.`;
}

export function undoableText(view: SendView & Waiting, now: number): Message {
  return message(
    sendingIn(view, now, ` to ${shortRecipient(view)}`),
    typed(view.text),
    button(ACTIONS.undoSend, 'Undo', view.id),
  );
}

/** Whether nothing of a list was sent yet: its undo time runs, or the list waits for its turn afterwards. */
export function hasNotBegun(view: JobView, now: number): boolean {
  return isBeforeStart(view, now) || (view.state === 'running' && view.canUndo === true);
}

/** The headline of a list's card before the list begins. */
export function waitingHeadline(view: JobView, now: number): string {
  return isBeforeStart(view, now)
    ? sendingIn(view, now, ` · ${listOf(view)}`)
    : `⏳ *Waiting for its turn* · ${listOf(view)}\nNothing was sent yet. *Undo* takes it back until it begins.`;
}

export function undoneHeadline(view: JobView): string {
  const who = view.undoneBy === undefined ? '' : ` · ${mention(view.undoneBy)} pressed Undo`;
  // Without a file, the list's name has the number.
  const total = view.details.given.file ? ` · ${plural(view.counts.total, 'recipient')}` : '';
  return `${undone(view)}\n${listOf(view)}${total}${who}`;
}

/** Replaces an undone text, or the card of an undone list, which shows no number and no text. The button opens the form. */
export function undoneMessage(view: SendView | JobView): Message {
  const { to, hasWords, howToResend, reopen, again } = draftOf(view);
  const isList = 'counts' in view;
  if (!isList && !hasWords) return message(undone(view), again);
  const fact = isList ? undoneHeadline(view) : `${undone(view)}\nText to ${to}`;
  if (view.resends) return message(`${fact}\n${howToResend}`);
  return message(fact, !isList && typed(view.text), hasWords ? button(reopen, 'Edit', view.id) : again);
}

/** Somebody pressed **Undo** after the first request had begun, or may have: it may have ended long ago. */
export const TOO_LATE_TO_UNDO = message('Too late to undo: sending has begun, or may have begun.');
