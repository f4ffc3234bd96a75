import type { Button } from '@slack/types';
import type { NeedsApproval } from '../../../core/sends/decision-answers.ts';
import { button, buttons, type Message, message } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { capitalised, count, credits, mention } from '../words.ts';

/** The words of a draft that a second person has to approve. */

const MOST_NAMED = 5;

/** **Ask for approval**, in the place of Send. */
export function askButton(id: string): Button {
  return button(ACTIONS.askApproval, 'Ask for approval', id, 'primary');
}

/** The same button if a budget is short: only an admin can grant that. */
export function askExceptionButton(id: string): Button {
  return button(ACTIONS.askException, 'Ask for approval', id);
}

/** Why a draft has that button. */
export function whyApproval(above: number): string {
  return `Above ${credits(above)} a second person approves.`;
}

/** Somebody pressed Send on a draft that a second person has to approve. */
export function needsApproval(needed: Omit<NeedsApproval, 'kind'>, ask: Button): Message {
  const { asked, above, approvers } = needed;
  return message(
    `⛔ This may take ${credits(asked)}. ${whyApproval(above)} Nothing was sent.\n${capitalised(approversWords(approvers))} can approve it.`,
    buttons(ask),
  );
}

export function approversWords(approvers: readonly string[]): string {
  if (approvers.length === 0) return 'an admin';
  return approvers.length > MOST_NAMED
    ? `one of ${count(approvers.length)} people`
    : approvers.map(mention).join(', ');
}
