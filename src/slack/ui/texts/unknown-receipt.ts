import type { Button } from '@slack/types';
import type { SendView } from '../../../core/sends/send-view.ts';
import { asking, button, buttons, type Message, message, typed } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { likelyOutcome, reference, saidBy } from '../outcome.ts';
import { recipient } from '../recipient.ts';
import { count, credits } from '../words.ts';

/** The receipt of a text of which nobody can say whether it went out: what is known, and what a person may do. */
export function unknownReceipt(view: SendView): Message {
  if (view.saidSentBy !== undefined) return saidReceipt(view, view.saidSentBy);
  const likely = likelyOutcome(view);
  const text = [
    `⚠️ *Unknown${likely === undefined ? '' : ` – ${likely}`}*`,
    `To ${[recipient(view), ...cluesOf(view)].join(' · ')}`,
    whatHappened(view),
    ...whatTheBalanceSays(view),
    whatNow(view),
  ].join('\n');
  const isOpen = view.resentAs === undefined;
  const again = view.evidence === undefined ? [] : [button(ACTIONS.sendAgain, 'Resend…', view.id)];
  return message(
    text,
    typed(view.text),
    ...(isOpen ? [buttons(itArrivedButton(ACTIONS.itArrived, view.id), ...again)] : []),
    reference(view),
  );
}

/** **It arrived**: a person's word, which asks before it counts. */
export function itArrivedButton(
  action: typeof ACTIONS.itArrived | typeof ACTIONS.itArrivedInList | typeof ACTIONS.itArrivedAtHome,
  id: string,
): Button {
  return asking(button(action, 'It arrived', id), {
    title: 'Did it arrive?',
    text: 'The text is then shown as sent, with your name. It cannot be resent. If the service’s answer still comes, that counts.',
    yes: 'It arrived',
    no: 'Not sure',
  });
}

function saidReceipt(view: SendView, by: string): Message {
  return message(
    `✅ *Sent* ${saidBy(by)} · text to ${recipient(view)}\nThe service never answered, so its cost is not known.\nIf its answer still comes, that counts.`,
    typed(view.text),
    reference(view),
  );
}

function whatHappened({ result }: SendView): string {
  switch (result?.cause) {
    case 'no_answer':
      return 'We sent it, but the service never replied.';
    case 'server_error':
      return 'We sent it, but the service replied that something went wrong on its side.';
    case 'broken_answer':
      return 'We sent it, but the reply could not be read.';
    case 'interrupted':
    // The rest come with a clear answer, or to a request of several.
    case 'accepted':
    case 'key_refused':
    case 'credits':
    case 'validation':
    case 'refused':
    case 'rate_limited':
    case 'unreachable':
    case 'given_up':
    case 'repeated':
    case 'group_refused':
    case 'list_refused':
    case 'not_listed':
    case 'opted_out':
    case undefined:
      return 'We may have sent it: Switchboard was interrupted before a reply came.';
  }
}

/** What makes the likely outcome likely, and why it is not certain: in a few words each. */
function cluesOf({ evidence }: SendView): string[] {
  const { verdict, before = 0, after = 0 } = evidence ?? {};
  if (verdict !== 'probably_sent' && verdict !== 'probably_not_sent') return [];
  const charged =
    verdict === 'probably_not_sent'
      ? 'nothing was charged'
      : `${taken(before - after)} (${figures(before, after)})`;
  return [charged, 'someone else may use this key'];
}

function taken(used: number): string {
  return `${credits(used)} ${used === 1 ? 'was' : 'were'} taken`;
}

function figures(before: number, after: number): string {
  return `${count(before)} → ${count(after)}`;
}

/** What the clues leave open. */
function whatTheBalanceSays({ evidence }: SendView): string[] {
  if (!evidence) return ['Checking the balance for clues …'];
  const { verdict, before = 0, after = 0, messages = 1 } = evidence;
  const several = messages > 1;
  switch (verdict) {
    case 'probably_not_sent':
    case 'probably_sent':
      return several ? [`These figures cover ${count(messages)} unknown texts.`] : [];
    case 'undecided':
      return [
        several
          ? `${taken(before - after)} for ${count(messages)} unknown texts together (${figures(before, after)}). Nobody can tell which were charged.`
          : `${taken(before - after)} (${figures(before, after)}), which is not what it costs.`,
      ];
    case 'topped_up':
      return ['The credits were topped up meanwhile, so the balance does not show whether it was charged.'];
    case 'none':
      return ['The balance does not show whether it was charged.'];
  }
}

function whatNow({ evidence, resentAs }: SendView): string {
  if (resentAs !== undefined) {
    return 'You have resent it meanwhile, with its own receipt. They may have both.';
  }
  const still = 'We won’t retry by ourselves.';
  return evidence ? `${still} Resending may text them twice.` : still;
}
