import type { SendView } from '../../core/sends/send-view.ts';
import { ACTIONS } from '../ids.ts';
import { recipient } from './recipient.ts';
import { sizeOf } from './size.ts';
import {
  button,
  buttons,
  context,
  count,
  credits,
  escaped,
  estimatedCredits,
  estimatedRest,
  type Message,
  noFreshBalance,
  PRICE_UNKNOWN,
  quoted,
  section,
  time,
  typed,
} from './words.ts';

/** The preview of a text: what goes to whom and what it would cost. Nothing leaves before Send is pressed. */
export function draftMessage({
  view,
  instanceName,
  threshold,
  crossesThreshold,
}: {
  view: SendView;
  instanceName: string;
  threshold: number;
  crossesThreshold: boolean;
}): Message {
  const to = `*Text to ${recipient(view)}*`;
  const notes = numberNotes(view);
  const { estimate, lastBalance } = view.details;
  const size = sizeOf(view.text, view.segments);
  const warnings = [
    ...(view.resends ? ['*Sending again:* the first one may have arrived: this may text them twice.'] : []),
    ...(crossesThreshold
      ? [
          `*Low credits:* this text takes the balance below this channel’s threshold of ${credits(threshold)}.`,
        ]
      : []),
    ...(lastBalance && lastBalance.credits < estimate.credits
      ? ['*Perhaps not enough credits:* you can send it all the same, and the service decides.']
      : []),
  ];
  const cost = costOf(view);
  const small = `Instance ${quoted(instanceName)} · nothing is sent before you press *Send* · this draft expires at ${time(view.expiresAt)}`;
  return {
    text: [to, ...notes, escaped(view.text), size, ...warnings, cost, small].join('\n'),
    blocks: [
      section([to, ...notes].join('\n')),
      typed(view.text),
      context(size),
      section([...warnings, cost].join('\n')),
      buttons(
        button(ACTIONS.confirmSend, 'Send', view.id, 'primary'),
        button(ACTIONS.editDraft, 'Edit', view.id),
        button(ACTIONS.cancelDraft, 'Cancel', view.id),
      ),
      context(small),
    ],
  };
}

function numberNotes({ details }: SendView): string[] {
  return [
    ...(details.added ? ['+ added: the number was read as an international one.'] : []),
    ...(details.noKnownRange
      ? [
          '*Please check the number:* its length is right, but it is in no known range. It can be sent to all the same.',
        ]
      : []),
  ];
}

/** `≈ 1 credit · 999 now, ≈ 998 after`; `1 to 7 credits: your price for long texts is not known yet · …` */
function costOf({ details: { estimate, balance, lastBalance } }: SendView): string {
  const why = estimate.least === undefined ? '' : `: ${PRICE_UNKNOWN}`;
  const cost = `*${estimatedCredits(estimate)}*${why}`;
  if (balance === undefined) return `${cost} · ${noFreshBalance(lastBalance)}`;
  return `${cost} · ${count(balance)} now, ${estimatedRest(balance, estimate)} after`;
}
