import { isOpenDraft, type SendView } from '../../../core/sends/send-view.ts';
import { describeNumber } from '../../../core/texts/phone-format.ts';
import { openSendForm } from '../../forms/open-send-form.ts';
import { notYours, staleDraft } from '../../ui/draft-refusals.ts';
import { hasWords, mayReopen } from '../../ui/expired-draft.ts';
import type { ClickHandler } from './action.ts';
import { answerTooLate } from './too-late.ts';

/** **Edit**: the form, prefilled; the draft stays valid until the form is submitted. */
export const editDraft = openForm(isOpenDraft, ({ id }) => ({ replaces: id }));

/**
 * **Open the form** at an expired draft, **Edit** at an undone text: opens the form with its words, for a new draft.
 */
export const reopenDraft = openForm((view) => mayReopen(view) && !view.resends && hasWords(view));

function openForm(
  mayOpen: (view: SendView) => boolean,
  more?: (view: SendView) => { replaces: string },
): ClickHandler {
  return async (deps, click) => {
    const { person, value, triggerId, to, answer, replace } = click;
    const view = await deps.core.sends.view(value);
    if (!view) return replace(staleDraft());
    if (view.details.by !== person.id) return answer(notYours(view.details.by));
    if (!mayOpen(view)) return answerTooLate(click, view);
    await openSendForm(deps, { person, triggerId, to, ...prefillOf(view), ...more?.(view) });
  };
}

/** What the form begins with: the draft’s channel, number and words. */
export function prefillOf({ channel, e164, text }: SendView) {
  return { channel, recipient: describeNumber({ e164 }), message: text };
}
