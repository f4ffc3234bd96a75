import type { SendView } from '../../../core/sends.ts';
import type { SlackDeps } from '../../deps.ts';
import { notLinkedFor, notThere } from '../../linked.ts';
import type { ReplyTo } from '../../replies.ts';
import { receiptMessage, sendingMessage, tooLateMessage } from '../../ui/receipt.ts';
import { creditsShort, notYours, resendRefused, sendRefused, staleDraft } from '../../ui/refusals.ts';
import type { ClickHandler } from './action.ts';

/** **Send**: the one decision. Its receipt comes from the outbox, whatever happens to this process. */
export const confirmSend: ClickHandler = async (deps, { person, value, to, answer, replace }) => {
  const draft = await deps.core.sends.view(value);
  const refusal = draft && (await notThere(deps, person, draft.channel, to.channel));
  if (refusal) return answer(refusal);
  const confirmed = await deps.core.sends.confirm(value, person, to);
  switch (confirmed.kind) {
    case 'running':
      return showSending(deps, to, confirmed.view);
    case 'missing':
      return replace(staleDraft());
    case 'not_yours':
      return answer(notYours(confirmed.owner));
    case 'not_linked':
      return replace(await notLinkedFor(deps, person));
    case 'refused':
      return answer(sendRefused(confirmed.why, confirmed.link));
    case 'credits_short':
      return answer(creditsShort({ needed: confirmed.needed, available: confirmed.available }));
    case 'resend_refused':
      return answer(resendRefused(confirmed.why));
    case 'too_late': {
      // What was sent has its receipt in this very message: the answer goes beside it.
      const retired = ['expired', 'cancelled', 'superseded'].includes(confirmed.view.state);
      return retired ? replace(tooLateMessage(confirmed.view)) : answer(tooLateMessage(confirmed.view));
    }
  }
};

/** "Sending…" in the draft's place. An answer may be quicker: then its receipt is put there once more. */
async function showSending({ core, replies }: SlackDeps, to: ReplyTo, view: SendView): Promise<void> {
  if (!isInFlight(view)) return;
  await replies.byUrl(to, sendingMessage(view), { replace: true });
  const now = await core.sends.view(view.id);
  if (now && !isInFlight(now)) await replies.byUrl(to, receiptMessage(now), { replace: true });
}

function isInFlight({ outcome }: SendView): boolean {
  return outcome === 'pending' || outcome === 'sending';
}
