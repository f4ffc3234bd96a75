import type { Person } from '../../core/accounts/permissions.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Confirmed, Withdrawn } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import type { Refusal } from '../people/rights.ts';
import { button, type Message } from '../ui/blocks.ts';
import { CHECKS_FIRST, unknownRefused } from '../ui/draft-refusals.ts';
import { withdrawnMessage } from '../ui/expired-draft.ts';
import { ACTIONS } from '../ui/ids.ts';
import { askButton, needsApproval } from '../ui/limits/approval-words.ts';
import { overBudget } from '../ui/limits/budget-words.ts';
import { tooLateMessage } from '../ui/texts/outcome-lines.ts';
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

/**
 * Says that a draft was sent, withdrawn or expired. Replaces the draft, unless something newer is in its place already: the
 * receipt of a text, an edited draft, or the words of one that ended.
 */
export function answerTooLate({ answer, replace }: Click, view: SendView | JobView): Promise<void> {
  const isReplaced =
    ['cancelled', 'superseded', 'declined'].includes(view.state) ||
    (!('counts' in view) && !['draft', 'expired'].includes(view.state));
  return isReplaced ? answer(tooLateMessage(view)) : replace(tooLateMessage(view));
}

/** The answer to **Cancel**, in the place of the draft. `gone`: the words if there is no such draft any more. */
export function answerWithdrawn(
  click: Click,
  withdrawn: Withdrawn<SendView | JobView>,
  gone: Message,
): Promise<void> {
  if (withdrawn.kind === 'too_late') return answerTooLate(click, withdrawn.view);
  return click.replace(withdrawn.kind === 'missing' ? gone : withdrawnMessage(withdrawn.view));
}

/** Says that a decision waits, since the bot reads the balance first. If Slack refuses these words, the decision goes on. */
export async function sayWaiting({ replies }: SlackDeps, { to }: Click): Promise<void> {
  await replies.byUrl(to, CHECKS_FIRST);
}

type NotSent = 'too_late' | 'resend_refused' | 'over_budget' | 'needs_approval';

/** Says why a text or a list was not sent. `gone`: the words if its draft is gone. `value`: what its buttons carry. */
export async function answerNotSent(
  deps: SlackDeps,
  click: Click,
  decided: Refusal | Extract<Confirmed<SendView | JobView>, { kind: NotSent }>,
  { draft, gone, value }: { draft: SendView | JobView; gone: Message; value: string },
): Promise<void> {
  const { person, answer, replace } = click;
  switch (decided.kind) {
    case 'missing':
      return replace(gone);
    case 'too_late':
      return answerTooLate(click, decided.view);
    case 'resend_refused':
      return answer(unknownRefused(decided.why));
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
      return answer(await deps.rights.refusalMessage(person, decided, draft));
  }
}
