import type { Button } from '@slack/types';
import type { JobView } from '../../../core/jobs/job-view.ts';
import { askFirst, button } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import {
  LOOKING_FOR_CLUES,
  NO_CLUE,
  notCertain,
  saidBy,
  takenWords,
  unknownHeadline,
} from '../outcome-words.ts';
import { inLines, mention, plural } from '../words.ts';

/** A job's unknown texts: what we know of them, and what people decided. Undefined if none is unknown. `now`: ms since 1970. */
export function unknownOfJob(view: JobView, now: number): string | undefined {
  const { counts, decidable, leftBy, saidSent, resentAs } = view;
  if (counts.unknown === 0) return undefined;
  // If people have decided about some texts, only the rest needs a decision.
  const unknown = decidable || counts.unknown - (saidSent?.messages ?? 0);
  const again =
    resentAs === undefined
      ? 'We won’t resend them automatically: resending may text people twice.'
      : 'Another job resends these texts: see its card. Some people may get a text twice.';
  // The balance shows charges. No balance shows whether the service sent a part of a refused list.
  const headline = view.listRefused ? '*Unknown*' : unknownHeadline(view);
  const isPausedForIt = view.pause?.why === 'list_refused';
  const open = inLines(
    `⚠️ ${headline} · ${plural(unknown, 'text')}`,
    !view.listRefused && 'We may have sent them: we got no clear answer.',
    view.listRefused &&
      !isPausedForIt &&
      'The service refused the request with these texts, and may have sent some of them.',
    whatTheBalanceSays(view, now),
    again,
    leftBy !== undefined && `${mention(leftBy)} left them as they are.`,
  );
  const sent =
    saidSent &&
    `✅ *Sent* ${saidBy(saidSent.by)} · ${plural(saidSent.messages, 'text')}\n` +
      'The service never gave a clear answer, so their cost is not known.\n' +
      'If it still answers, its answer counts.';
  return inLines(unknown > 0 && open, sent);
}

/** **They arrived**: asks first, since the bot then takes the person's word. */
export function theyArrivedButton(view: JobView): Button {
  return askFirst(button(ACTIONS.theyArrived, 'They arrived', unknownValue(view)), {
    title: 'Did the texts arrive?',
    text:
      'All unknown texts of this job are then shown as sent, with your name. They cannot be resent. ' +
      'If the service still answers, its answer counts.',
    no: 'Not sure',
  });
}

/** **Leave them**: nothing is sent, and Home no longer asks for a decision. */
export function leaveThemButton(view: JobView): Button {
  return askFirst(button(ACTIONS.leaveThem, 'Leave them', unknownValue(view)), {
    title: 'Leave them unknown?',
    text: 'Home no longer asks for a decision about them. Nothing is sent. This card keeps its other buttons.',
    no: 'Back',
  });
}

/** The value of these buttons: the list, and how many texts the card is about. */
function unknownValue({ id, decidable }: JobView): string {
  return `${id}/${decidable}`;
}

/** Reads that value. A button of an older version has the id alone. */
export function readUnknownValue(value: string): { id: string; seen: number | undefined } {
  const [id = '', seen = ''] = value.split('/');
  return { id, seen: /^\d+$/.test(seen) ? Number(seen) : undefined };
}

/**
 * Whether people may resend the unknown texts: the service can no longer get their requests, or we have checked the balance.
 * `now`: ms since 1970.
 */
export function isResendable({ counts, resentAs, resendableAt }: JobView, now: number): boolean {
  return counts.unknown > 0 && resentAs === undefined && resendableAt !== undefined && resendableAt <= now;
}

function whatTheBalanceSays(view: JobView, now: number): string {
  const { evidence, counts, listRefused } = view;
  if (!evidence) return isResendable(view, now) ? NO_CLUE : LOOKING_FOR_CLUES;
  const { verdict, messages = counts.unknown } = evidence;
  const together =
    messages > counts.unknown
      ? `\nThese figures cover ${plural(messages, 'unknown text')} of this account.`
      : '';
  const charged = `${takenWords(evidence)} from the balance`;
  switch (verdict) {
    case 'probably_not_sent':
      return listRefused
        ? `Nothing was charged for them so far. Some may still have been sent.${together}`
        : `Nothing was charged so far.${together}\n${notCertain(view)}`;
    case 'probably_sent':
      return `${charged}, as much as these texts cost together.${together}\n${notCertain(view)}`;
    case 'undecided':
      return `${charged}. These texts together would cost a different amount.${together}`;
    case 'topped_up':
      return 'The credits were topped up meanwhile, so the balance does not show what was charged.';
    case 'none':
      return 'The balance does not show what was charged.';
  }
}
