import { requestsOf } from '../../people/approval-rights.ts';
import { takesNoArgument } from '../../ui/access-refusals.ts';
import { approvalsMessage } from '../../ui/limits/approval-words.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms approvals`: what waits for this person's approval, and what they asked for. */
export const approvalsCommand: CommandHandler = async ({ core }, { person, word, rest, answer }) => {
  if (rest !== '') return answer(takesNoArgument(word));
  await answer(approvalsMessage(requestsOf(person, await core.approvals.waiting())));
};
