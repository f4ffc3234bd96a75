import { tooLateMessage } from '../../ui/receipt.ts';
import { creditsShort, notYours, resendRefused, sendRefused, staleDraft } from '../../ui/refusals.ts';
import { notLinkedFor, notThere } from '../../usable-link.ts';
import type { ClickHandler } from './action.ts';

/** **Send**: the one decision. Its receipt comes from the outbox, whatever happens to this process. */
export const confirmSend: ClickHandler = async (deps, { person, value, to, answer, replace }) => {
  const draft = await deps.core.sends.view(value);
  const refusal = draft && (await notThere(deps, person, draft.channel));
  if (refusal) return answer(refusal);
  const confirmed = await deps.core.sends.confirm(value, person, to);
  if (draft) deps.log.info({ send: draft.id, decision: confirmed.kind }, 'Send was pressed');
  switch (confirmed.kind) {
    case 'running':
      // "Sending…" and the receipt come from one outbox row: no late post can put the one over the other.
      return;
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
