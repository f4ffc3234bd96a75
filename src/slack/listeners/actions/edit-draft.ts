import { describeNumber } from '../../../core/texts/phone-format.ts';
import { openSendForm } from '../../forms/open-send-form.ts';
import { tooLateMessage } from '../../ui/receipt.ts';
import { notYours, staleDraft } from '../../ui/refusals.ts';
import type { ClickHandler } from './action.ts';

/** **Edit**: the form, prefilled; the draft stands until the form is submitted. */
export const editDraft: ClickHandler = async (deps, { person, value, triggerId, to, answer, replace }) => {
  const view = await deps.core.sends.view(value);
  if (!view || view.team !== person.team) return replace(staleDraft());
  if (view.details.by !== person.id) return answer(notYours(view.details.by));
  if (view.state !== 'draft') return answer(tooLateMessage(view));
  await openSendForm(deps, {
    person,
    channel: view.channel,
    triggerId,
    to,
    recipient: describeNumber({ e164: view.e164 }),
    message: view.text,
    replaces: view.id,
  });
};
