import { keepWords, membershipRefusal, notLinkedFor } from '../../people/usable-link.ts';
import { creditsShort, notYours, resendRefused, sendRefused, staleDraft } from '../../ui/refusals.ts';
import type { ClickHandler } from './action.ts';
import { prefillOf } from './edit-draft.ts';
import { answerTooLate } from './too-late.ts';

/** **Send**: the one decision. Its receipt comes from the outbox, whatever happens to this process. */
export const confirmSend: ClickHandler = async (deps, click) => {
  const { person, value, to, request, isFirst, answer, replace } = click;
  const draft = await deps.core.sends.view(value);
  const away = draft && (await membershipRefusal(deps, person, draft.channel));
  if (away) return (await isFirst()) ? answer(away) : undefined;
  const confirmed = await deps.core.sends.confirm(value, person, to, request);
  if (draft) deps.log.info({ send: draft.id, decision: confirmed.kind }, 'Send was pressed');
  // "Sending…" and the receipt come from one outbox row: no late post can put the one over the other.
  if (confirmed.kind === 'running' || confirmed.kind === 'repeated' || !(await isFirst())) return;
  switch (confirmed.kind) {
    case 'missing':
      return replace(staleDraft());
    case 'not_yours':
      return answer(notYours(confirmed.owner));
    case 'not_linked': {
      const refusal = await notLinkedFor(deps, person);
      // This replaces the draft, and with it its words.
      return replace(
        draft && !draft.resends ? await keepWords(deps, person, refusal, prefillOf(draft)) : refusal,
      );
    }
    case 'refused':
      return answer(sendRefused(confirmed.why, confirmed.link));
    case 'credits_short':
      return answer(creditsShort(confirmed));
    case 'resend_refused':
      return answer(resendRefused(confirmed.why));
    case 'too_late':
      return answerTooLate(click, confirmed.view);
    default:
      return confirmed satisfies never;
  }
};
