import type { SendView } from '../../core/sends/send-view.ts';
import { ACTIONS } from '../ids.ts';
import { payerLine } from './payer.ts';
import { recipient } from './recipient.ts';
import { sizeOf } from './size.ts';
import {
  button,
  buttons,
  context,
  count,
  credits,
  escaped,
  type Message,
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
  const to = [...payerLine(view), `*Text to ${recipient(view)}*`].join('\n');
  const notes = numberNotes(view);
  const size = sizeOf(view.text, view.segments);
  const warnings = [
    ...(view.resends ? ['*Sending again:* the first one may have arrived: this may text them twice.'] : []),
    ...(crossesThreshold
      ? [
          `*Low credits:* this text takes the balance below this channel’s threshold of ${credits(threshold)}.`,
        ]
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
        // What is sent again is sent as it was: an edited text would not say that it may come twice.
        ...(view.resends ? [] : [button(ACTIONS.editDraft, 'Edit', view.id)]),
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

/** `≈ 1 credit · 999 now, ≈ 998 after` */
function costOf({ details: { estimate, balance } }: SendView): string {
  const cost = `*≈ ${credits(estimate.credits)}*`;
  if (balance === undefined) return `${cost} · the balance could not be read just now`;
  return `${cost} · ${count(balance)} now, ≈ ${count(balance - estimate.credits)} after`;
}
