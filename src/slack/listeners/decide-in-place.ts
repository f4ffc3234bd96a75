import type { JobRefusal } from '../../core/jobs/job-answers.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Confirmed } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { refusalMessage } from '../people/refusal-message.ts';
import { button, type Message } from '../ui/blocks.ts';
import { NOT_SENT_YET, notYours } from '../ui/draft-refusals.ts';
import { ACTIONS } from '../ui/ids.ts';
import { OWN_REQUEST } from '../ui/limits/approval-answers.ts';
import { askButton, askExceptionButton, needsApproval } from '../ui/limits/approval-words.ts';
import { overBudget } from '../ui/limits/budget-words.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Click } from './click.ts';

/** A decision that may have to wait until the bot has read the balance, and what takes the draft's place meanwhile. */
interface InPlace<Decided> {
  /** Calls `onWait` if it has to wait. */
  decide(onWait: () => Promise<void>): Promise<Decided>;
  line: Message;
  /** The draft as it is now, with its buttons. */
  draft(): Promise<Message>;
}

/**
 * Decides a draft. If that has to wait, a line takes the draft's place at once and says so. `putBack` shows the draft
 * again, for a person who can still decide.
 */
export async function decideInPlace<Decided>(
  { replies }: Pick<SlackDeps, 'replies'>,
  { to }: Pick<Click, 'to'>,
  { decide, line, draft }: InPlace<Decided>,
): Promise<{ decided: Decided; putBack(): Promise<void> }> {
  let waited = false;
  const show = (message: Message) => replies.byUrl(to, message, { replace: true });
  async function putBack(): Promise<void> {
    if (waited) await show(await draft());
  }
  async function onWait(): Promise<void> {
    waited = true;
    await show(line);
  }
  try {
    return { decided: await decide(onWait), putBack };
  } catch (error) {
    await putBack();
    throw error;
  }
}

/** The answers to **Send** that are the same for a text and for a list. */
type NotSent =
  | Extract<
      Confirmed<SendView | JobView>,
      { kind: 'not_yours' | 'over_budget' | 'no_balance' | 'needs_approval' | 'own_request' }
    >
  | JobRefusal;

/** Says why a draft was not sent, and puts it back where the person can still send it. `value`: of its buttons. */
export async function answerNotSent(
  deps: SlackDeps,
  { person, answer }: Click,
  decided: NotSent,
  { value, putBack }: { value: string; putBack(): Promise<void> },
): Promise<void> {
  switch (decided.kind) {
    case 'not_yours':
      return answer(notYours(decided.owner));
    case 'over_budget': {
      await putBack();
      const { over, view } = decided;
      const isList = 'counts' in view;
      const edit = button(isList ? ACTIONS.editBulk : ACTIONS.editDraft, 'Edit', view.id);
      const about = { what: isList ? 'list' : 'text', channel: view.channel } as const;
      return answer(overBudget(over, about, askExceptionButton(value), !view.resends && edit));
    }
    case 'no_balance':
      await putBack();
      return answer(NOT_SENT_YET);
    case 'needs_approval':
      return answer(needsApproval(decided, askButton(value)));
    case 'own_request':
      return answer(OWN_REQUEST);
    default:
      return answer(await refusalMessage(deps, person, decided));
  }
}
