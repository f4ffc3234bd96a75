import type { SendView } from '../../core/sends/send-view.ts';
import { ACTIONS } from '../ids.ts';
import { reference, unknownHeadline } from './outcome.ts';
import { recipient } from './recipient.ts';
import { button, buttons, count, credits, type Message, message, typed } from './words.ts';

/** The receipt of a text of which nobody can say whether it went out: what is known, and what a person may do. */
export function unknownReceipt(view: SendView): Message {
  const text = [
    `${unknownHeadline(view)} · text to ${recipient(view)}`,
    whatHappened(view),
    whatTheBalanceSays(view),
    whatNow(view),
  ].join('\n');
  const decidable = view.evidence !== undefined && view.resentAs === undefined;
  return message(
    text,
    typed(view.text),
    ...(decidable ? [buttons(button(ACTIONS.sendAgain, 'Try again…', view.id))] : []),
    reference(view),
  );
}

function whatHappened({ result }: SendView): string {
  switch (result?.cause) {
    case 'no_answer':
      return 'The request left, and no answer came back.';
    case 'server_error':
      return 'The request left, and the service answered that something went wrong on its side.';
    case 'broken_answer':
      return 'The request left, and what came back could not be read.';
    default:
      return 'The request may have left: Switchboard was interrupted before an answer came back.';
  }
}

function whatTheBalanceSays({ evidence }: SendView): string {
  if (!evidence) return 'Switchboard looks at the balance in a moment, and says here what it tells.';
  const { verdict, before = 0, after = 0, messages = 1 } = evidence;
  const several = messages > 1;
  const together = several ? ` The figures speak of ${count(messages)} unknown texts together.` : '';
  const others = 'Other users of the key cannot be excluded, so this is no proof.';
  switch (verdict) {
    case 'probably_not_sent':
      return `Nothing was charged for it.${together} ${others}`;
    case 'probably_sent':
      return `${credits(before - after)} ${before - after === 1 ? 'was' : 'were'} taken from the balance, as ${several ? 'these texts cost' : 'it costs'}.${together} ${others} A charge proves a charge, not a delivery.`;
    case 'undecided':
      return several
        ? `${credits(before - after)} ${before - after === 1 ? 'was' : 'were'} taken from the balance for ${count(messages)} unknown texts together: which of them were charged cannot be told. ${others}`
        : `${credits(before - after)} ${before - after === 1 ? 'was' : 'were'} taken from the balance, which is not what it costs. ${others}`;
    case 'topped_up':
      return 'The credits were topped up meanwhile, so the balance does not tell whether it was charged.';
    case 'none':
      return 'The balance does not tell whether it was charged.';
  }
}

function whatNow({ evidence, resentAs }: SendView): string {
  if (resentAs !== undefined) {
    return 'You have sent it again meanwhile, with its own receipt: they may have both. Nothing more is repeated by itself.';
  }
  const still = 'It was not repeated, and won’t be by itself.';
  return evidence ? `${still} Trying again may text them twice.` : still;
}
