import { tooLateMessage, withdrawnMessage } from '../../ui/receipt.ts';
import { staleDraft } from '../../ui/refusals.ts';
import type { ClickHandler } from './action.ts';

/** **Cancel**: nothing was sent and nothing will be. */
export const cancelDraft: ClickHandler = async ({ core }, { person, value, answer, replace }) => {
  const withdrawn = await core.sends.withdraw(value, person, 'cancelled');
  if (withdrawn.kind === 'withdrawn') return replace(withdrawnMessage(withdrawn.view));
  return answer(withdrawn.kind === 'missing' ? staleDraft() : tooLateMessage(withdrawn.view));
};
