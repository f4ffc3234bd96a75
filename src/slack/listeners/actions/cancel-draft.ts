import { staleDraft } from '../../ui/draft-refusals.ts';
import { withdrawnMessage } from '../../ui/texts/receipt.ts';
import type { ClickHandler } from './action.ts';
import { answerTooLate } from './too-late.ts';

/** **Cancel**: nothing was sent and nothing will be. */
export const cancelDraft: ClickHandler = async ({ core }, click) => {
  const { person, value, answer, replace } = click;
  const withdrawn = await core.sends.withdraw(value, person, 'cancelled');
  if (withdrawn.kind === 'withdrawn') return replace(withdrawnMessage(withdrawn.view));
  return withdrawn.kind === 'missing' ? answer(staleDraft()) : answerTooLate(click, withdrawn.view);
};
