import { readNumber } from '../../../core/texts/phone.ts';
import { replyWithDraft } from '../../answers/reply-with-draft.ts';
import { membershipRefusal } from '../../people/usable-link.ts';
import { notYours, numberUnreadable, staleDraft } from '../../ui/draft-refusals.ts';
import type { ClickHandler } from './action.ts';

/** A person wants an unknown text sent once more: a new draft that says it may text them twice. */
export const sendAgain: ClickHandler = async (deps, { person, value, to, answer }) => {
  const view = await deps.core.sends.view(value);
  if (!view) return answer(staleDraft());
  if (view.details.by !== person.id) return answer(notYours(view.details.by));
  const refusal = await membershipRefusal(deps, person, view.channel);
  if (refusal) return answer(refusal);
  const number = readNumber(view.e164);
  if (number.kind !== 'number') return answer(numberUnreadable(view));
  await replyWithDraft(deps, {
    person,
    channel: view.channel,
    number,
    text: view.text,
    to,
    resends: { send: view.id, indexes: [0] },
  });
};
