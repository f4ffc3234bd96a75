import type { JobView } from '../../../core/jobs/job-view.ts';
import { isOpenDraft, type SendView } from '../../../core/sends/send-view.ts';
import type { SameWords } from '../../../core/sends/sends.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { formatNumber } from '../../../core/texts/phone-format.ts';
import { refuseIf } from '../../answers/apology.ts';
import { openSendForm } from '../../forms/open-sending-form.ts';
import type { Message } from '../../ui/blocks.ts';
import { notYours, numberUnreadable, staleDraft, unknownRefused } from '../../ui/draft-refusals.ts';
import { draftOf, mayReopen } from '../../ui/expired-draft.ts';
import { Prefill } from '../../ui/prefill.ts';
import { draftMessage } from '../../ui/texts/draft.ts';
import { readSendValue } from '../../ui/texts/same-words.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerNotSent, answerTooLate, answerWithdrawn, sayWaiting, whoPresses } from '../press-send.ts';
import { replyWithDraft } from './send.ts';

/** **Edit**: the form, prefilled; the draft stays valid until the form is submitted. */
export const editDraft = openForm(isOpenDraft, ({ id }) => ({ replaces: id }));

/** **Open the form** on an expired draft, **Edit** on an undone text: opens the form prefilled, for a new draft. */
export const reopenDraft = openForm((view) => mayReopen(view) && !view.resends && draftOf(view).hasWords);

function openForm(
  mayOpen: (view: SendView) => boolean,
  more?: (view: SendView) => { replaces: string },
): ClickHandler {
  return async (deps, click) => {
    const view = await ownDraft(click, await deps.core.sends.view(click.value), staleDraft());
    if (!view) return;
    if (!mayOpen(view)) return answerTooLate(click, view);
    await openSendForm(deps, { ...click, channel: view.channel, ...more?.(view) }, () => prefillOf(view));
  };
}

/** The draft, if it is the person's own. If not, answers why, and returns undefined. */
export async function ownDraft<View extends SendView | JobView>(
  { person, answer, replace }: Click,
  view: View | undefined,
  gone: Message,
): Promise<View | undefined> {
  if (view?.details.by === person.id) return view;
  await (view ? answer(notYours(view.details.by)) : replace(gone));
  return undefined;
}

/** What the form begins with: the draft’s channel, number and words. */
export function prefillOf({ channel, e164, text }: SendView) {
  return { channel, recipient: formatNumber(e164), message: text };
}

/** **Cancel**: nothing more will be sent. */
export const cancelDraft: ClickHandler = async ({ core: { sends } }, click) => {
  const gone = staleDraft();
  const view = await ownDraft(click, await sends.view(click.value), gone);
  if (view) await answerWithdrawn(click, await sends.withdraw(view.id, click.person), gone);
};

/** **Write a text**, **Open the form**. */
export const writeText: ClickHandler = (deps, click) => {
  const { channel = click.channel, ...words } =
    click.value === '' ? {} : Prefill.parse(JSON.parse(click.value));
  return openSendForm(deps, { ...click, channel }, () => words);
};

/** **Resend…**: makes a new draft of an unknown text. The draft warns that the recipient may get the text twice. */
export const sendAgain: ClickHandler = async (deps, { person, value, to, answer }) => {
  const view = await deps.core.sends.view(value);
  if (!view) return answer(staleDraft());
  if (view.details.by !== person.id) return answer(notYours(view.details.by));
  refuseIf(await deps.rights.membershipRefusal(person, view.channel));
  if (view.e164 === '') return answer(unknownRefused('forgotten'));
  const { resendableAt, mayResend } = view;
  if (resendableAt !== undefined && !mayResend) return answer(unknownRefused('too_early', resendableAt));
  const number = readNumber(view.e164);
  if (number.kind !== 'number') return answer(numberUnreadable(view));
  const { id, channel, text } = view;
  await replyWithDraft(deps, { person, channel, number, text, to, resends: { send: id, indexes: [0] } });
};

/** **Send** and **Send anyway**: decides once. The outbox posts the receipt, even if this process dies. */
export const confirmSend: ClickHandler = async (deps, click) => {
  const { value, to, request, isFirst, replace } = click;
  const { id, ...allows } = readSendValue(value);
  const { sends } = deps.core;
  const view = await sends.view(id);
  const person = await whoPresses(deps, click, view, staleDraft());
  if (!view || !person) return;
  const how = { ...allows, request, onWait: () => sayWaiting(deps, click) };
  const decided = await sends.confirm(id, person, to, how);
  deps.log.info({ send: id, result: decided.kind }, 'somebody pressed Send or Send anyway');
  // "Sending…" and the receipt come from one outbox row, so a late "Sending…" never overwrites the receipt.
  if (decided.kind === 'running' || decided.kind === 'repeated' || !(await isFirst())) return;
  switch (decided.kind) {
    case 'not_linked': {
      const refusal = await deps.rights.refusalMessage(person, decided, view);
      // The answer replaces the draft, and takes its words away.
      return replace(view.resends ? refusal : await deps.rights.keepWords(person, refusal, prefillOf(view)));
    }
    case 'same_words':
    case 'may_be_sent':
      return replace(await shownAgain(deps, decided));
    default:
      return answerNotSent(deps, { ...click, person }, decided, {
        draft: view,
        gone: staleDraft(),
        value: id,
      });
  }
};

/** Builds the preview again. It warns of what happened since; `same`: somebody sent these words to this number. */
async function shownAgain({ core }: SlackDeps, { view, same }: { view: SendView; same?: SameWords }) {
  const linked = await core.links.find(view.channel);
  if (!linked) return staleDraft();
  const budgets = await core.links.budgets(linked.link, view.details.by);
  return draftMessage({ view, same, linked, budgets });
}
