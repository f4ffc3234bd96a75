import type { Person } from '../../core/accounts/permissions.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Confirmed } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import type { Refusal } from '../people/rights.ts';
import { button, type Message } from '../ui/blocks.ts';
import { CHECKS_FIRST } from '../ui/draft-refusals.ts';
import { ACTIONS } from '../ui/ids.ts';
import { askButton, needsApproval } from '../ui/limits/approval-words.ts';
import { overBudget } from '../ui/limits/budget-words.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Click } from './click.ts';

/** Who presses **Send**, as of now. If the draft is gone, or they left its channel, answers so and returns undefined. */
export async function whoPresses(
  { access, rights }: SlackDeps,
  { person: known, isFirst, answer, replace }: Click,
  draft: SendView | JobView | undefined,
  gone: Message,
): Promise<Person | undefined> {
  const [person, away] = await Promise.all([
    access.again(known),
    draft && rights.membershipRefusal(known, draft.channel),
  ]);
  if (draft && !away) return person;
  if (await isFirst()) await (away ? answer(away) : replace(gone));
  return undefined;
}

/** Says that a decision waits, since the bot reads the balance first. If Slack refuses these words, the decision goes on. */
export async function sayWaiting({ replies }: SlackDeps, { to }: Click): Promise<void> {
  await replies.byUrl(to, CHECKS_FIRST);
}

/** Says why a draft of this channel was not sent: a text or a list. `value`: of its buttons. */
export async function answerNotSent(
  deps: SlackDeps,
  { person, answer, channel }: Pick<Click, 'person' | 'answer' | 'channel'>,
  decided: Refusal | Extract<Confirmed<SendView | JobView>, { kind: 'over_budget' | 'needs_approval' }>,
  value: string,
): Promise<void> {
  switch (decided.kind) {
    case 'over_budget': {
      const { over, view } = decided;
      const isList = 'counts' in view;
      const edit = button(isList ? ACTIONS.editBulk : ACTIONS.editDraft, 'Edit', view.id);
      const about = { what: isList ? 'list' : 'text', channel: view.channel } as const;
      return answer(overBudget(over, about, askButton(value, 'budget'), !view.resends && edit));
    }
    case 'needs_approval':
      return answer(needsApproval(decided, askButton(value)));
    default:
      return answer(await deps.rights.refusalMessage(person, decided, { channel }));
  }
}
