import type { SendView } from '../../../core/sends/send-view.ts';
import { maskNumber } from '../../../core/texts/phone-format.ts';
import { type Message, small } from '../blocks.ts';
import { otherStatusOf, saidBy, senderOf, unknownHeadline } from '../outcome-words.ts';
import { notSentWords } from '../reports/history-words.ts';
import { count, credits, present } from '../words.ts';

/**
 * A send's one line in its channel, without the text and with the number masked. Undefined if the channel needs no line.
 * With `posted` the channel has a line already, from when the outcome was unknown: that line then shows every outcome.
 */
export function lineMessage(view: SendView, { posted = false } = {}): Message | undefined {
  const text = lineOf(view, posted);
  return text === undefined ? undefined : small(text);
}

function lineOf(view: SendView, posted: boolean): string | undefined {
  const who = senderOf(view);
  const to = maskNumber(view.e164);
  switch (view.outcome) {
    case 'sent': {
      const status = otherStatusOf(view);
      const { creditsUsed: used, creditsRemaining: left } = view.result ?? {};
      const charge = present(
        used !== undefined && ` · ${credits(used)}`,
        left !== undefined && ` · ${count(left)} left`,
      ).join('');
      return status === undefined
        ? `${who} sent a text to ${to}${charge}`
        : `${who}’s text to ${to} has the status ${status}, not “sent”${charge}`;
    }
    case 'unknown':
      if (view.saidSentBy !== undefined) return `${who}’s text to ${to} · *sent ${saidBy(view.saidSentBy)}*`;
      return `${who}’s text to ${to} · ${unknownHeadline(view)}${view.resentAs ? ' · sent again since' : ''}`;
    case 'rejected':
      return posted ? `${who}’s text to ${to} · *rejected*, no credits used` : undefined;
    case 'not_sent':
      return posted ? `${who}’s text to ${to} · *${notSentWords(view)}*, no credits used` : undefined;
    case 'pending':
    case 'sending':
    case 'split':
    case 'cancelled':
      return undefined;
  }
}
