import type { JobView } from '../../../core/jobs/job-view.ts';
import { SWITCHBOARD } from '../../../core/sends/decision-answers.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import { maskNumber } from '../../../core/texts/phone-format.ts';
import { type Message, message, small } from '../blocks.ts';
import { draftOf, expiredDraft, nothingSent } from '../expired-draft.ts';
import { STILL_WAITS } from '../limits/approval-words.ts';
import { undoneMessage } from '../limits/undo.ts';
import { chargeOf, otherStatusOf, saidBy, senderOf, unknownHeadline } from '../outcome-words.ts';
import { notSentWords } from '../reports/history-words.ts';
import { capitalised, count, credits, mention, present, when } from '../words.ts';
import { heldBack } from './receipt.ts';

/** The answer to a click on a draft that somebody has decided: its outcome. */
export function tooLateMessage(view: SendView | JobView): Message {
  if (view.undoneBy !== undefined) return undoneMessage(view);
  const retired = (why: string) =>
    message(`Sorry, ${why}. ${capitalised(nothingSent(view))}.`, draftOf(view).again);
  switch (view.state) {
    // A draft that nobody can decide has expired, even if the ledger has not noted that yet.
    case 'draft':
    case 'expired':
      return expiredDraft(view);
    case 'cancelled':
      return retired('this draft was cancelled');
    case 'superseded':
      return retired('this draft was edited');
    case 'declined':
      return retired(
        view.approval?.by === SWITCHBOARD ? 'this request was sent back' : 'this request was declined',
      );
    case 'awaiting_approval':
      return message(STILL_WAITS);
    case 'running':
    case 'paused':
    case 'finished':
    case 'stopped':
      return message(alreadyDecided(view));
  }
}

function alreadyDecided(view: SendView | JobView): string {
  const { approval, decidedAt } = view;
  const who = senderOf(view);
  const at = decidedAt === undefined ? '' : ` ${when(decidedAt)}`;
  const pressed =
    approval?.by === undefined
      ? `${who} already pressed Send${at}`
      : `${mention(approval.by)} already approved this${at}`;
  if ('counts' in view) return `${pressed}. The card in <#${view.channel}> shows the progress.`;
  switch (view.outcome) {
    case 'sent':
      if (otherStatusOf(view) !== undefined) return `${pressed}.\n${lineOf(view, { posted: true })}`;
      return `✅ This text was already sent by ${who}${at} · ${chargeOf(view)}.`;
    case 'cancelled':
      return heldBack(view);
    case 'rejected':
    case 'not_sent':
    case 'unknown':
      return `${pressed}.\n${lineOf(view, { posted: true })}`;
    case 'pending':
    case 'sending':
    case 'split':
      return `${pressed}. The service has not answered yet: the receipt follows by itself.`;
  }
}

/**
 * A send's one line in its channel, with the number masked; undefined if no line is needed. A line that was posted before
 * shows every outcome.
 */
export function lineMessage(view: SendView, { posted = false } = {}): Message | undefined {
  const text = lineOf(view, { posted });
  return text === undefined ? undefined : small(text);
}

function lineOf(view: SendView, { posted }: { posted: boolean }): string | undefined {
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
      return `${who}’s text to ${to} · ${unknownHeadline(view)}${view.resentAs ? ' · resent later' : ''}`;
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
