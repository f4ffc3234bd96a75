import type { Person } from '../../core/accounts/permissions.ts';
import type { JobRefusal } from '../../core/jobs/job-answers.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Confirmed } from '../../core/sends/decision-answers.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { button, type Message } from '../ui/blocks.ts';
import { NOT_SENT_YET } from '../ui/draft-refusals.ts';
import { ACTIONS } from '../ui/ids.ts';
import { OWN_REQUEST } from '../ui/limits/approval-answers.ts';
import { askButton, askExceptionButton, needsApproval } from '../ui/limits/approval-words.ts';
import { overBudget } from '../ui/limits/budget-words.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Click } from './click.ts';

interface Draft<View, Decided> {
  view: View | undefined;
  gone: Message;
  /** Decides it; calls `onWait` if that has to wait until the bot has read the balance. */
  confirm(person: Person, onWait: () => Promise<void>): Promise<Decided>;
  /** Takes the draft's place meanwhile. */
  line(view: View): Message;
  /** The draft as it is now, with its buttons. */
  shown(view: View): Promise<Message>;
}

/**
 * Decides a draft, for a person who is in its channel now; `person` says who they are by now. `putBack` shows it again where
 * a line took its place, for a person who can still decide. Undefined if the answer has said why nothing was decided.
 */
export async function pressSend<View extends SendView | JobView, Decided extends { kind: string }>(
  deps: SlackDeps,
  { to, isFirst, answer, replace, ...click }: Click,
  { view, gone, confirm, line, shown }: Draft<View, Decided>,
): Promise<{ person: Person; view: View; decided: Decided; putBack(): Promise<void> } | undefined> {
  const [person, away] = await Promise.all([
    deps.access.again(click.person),
    view && deps.rights.membershipRefusal(click.person, view.channel),
  ]);
  if (!view || away) {
    if (await isFirst()) await (away ? answer(away) : replace(gone));
    return undefined;
  }
  let waited = false;
  const show = (message: Message) => deps.replies.byUrl(to, message, { replace: true });
  const putBack = async () => {
    if (waited) await show(await shown(view));
  };
  const onWait = async () => {
    waited = true;
    await show(line(view));
  };
  try {
    const decided = await confirm(person, onWait);
    deps.log.info({ send: view.id, decision: decided.kind }, 'Send was pressed');
    return { person, view, decided, putBack };
  } catch (error) {
    await putBack();
    throw error;
  }
}

/** The answers to **Send** that are the same for a text and for a list. */
type NotSent =
  | Extract<
      Confirmed<SendView | JobView>,
      {
        kind: 'not_yours' | 'over_budget' | 'no_balance' | 'needs_approval' | 'own_request' | 'credits_short';
      }
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
    case 'credits_short':
      await putBack();
  }
  return answer(await deps.rights.refusalMessage(person, decided));
}
