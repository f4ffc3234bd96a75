import type { Button } from '@slack/types';
import { crossesThreshold } from '../../../core/accounts/links.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import type { SameWords } from '../../../core/sends/sends.ts';
import type { Message } from '../../ui/blocks.ts';
import { checksFirst, resendRefused, staleDraft } from '../../ui/draft-refusals.ts';
import { draftMessage, sendButton } from '../../ui/texts/draft.ts';
import { readSendAnyway, sendAnywayButton } from '../../ui/texts/same-words.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { answerNotSent, pressSend } from '../press-send.ts';
import { answerTooLate, prefillOf } from './text-draft.ts';

/** **Send**: the one decision. Its receipt comes from the outbox, whatever happens to this process. */
export const confirmSend: ClickHandler = (deps, click) =>
  decide(deps, click, { id: click.value, pressed: sendButton(click.value) });

/** **Send anyway**: the same for words that went to this number before. */
export const sendAnyway: ClickHandler = (deps, click) => {
  const pressed = sendAnywayButton(click.value);
  return decide(deps, click, { ...readSendAnyway(click.value), pressed });
};

async function decide(
  deps: SlackDeps,
  click: Click,
  { id, allowed, pressed }: { id: string; allowed?: string; pressed: Button },
): Promise<void> {
  const { person, to, request, isFirst, answer, replace } = click;
  const { sends } = deps.core;
  const pressedSend = await pressSend(deps, click, {
    view: await sends.view(id),
    gone: staleDraft(),
    confirm: (by, onWait) => sends.confirm(id, by, to, { request, allowed, onWait }),
    line: (view) => checksFirst(view, pressed),
    shown: (view) => shownAgain(deps, { view }),
  });
  if (!pressedSend) return;
  const { view, decided, putBack } = pressedSend;
  // "Sending…" and the receipt come from one outbox row, so a late "Sending…" never overwrites the receipt.
  if (decided.kind === 'running' || decided.kind === 'repeated' || !(await isFirst())) return;
  switch (decided.kind) {
    case 'missing':
      return replace(staleDraft());
    case 'not_linked': {
      const refusal = await deps.rights.refusalMessage(person, decided);
      // This replaces the draft, and with it its words.
      return replace(view.resends ? refusal : await deps.rights.keepWords(person, refusal, prefillOf(view)));
    }
    case 'same_words':
      return replace(await shownAgain(deps, decided));
    case 'resend_refused':
      await putBack();
      return answer(resendRefused(decided.why));
    case 'too_late':
      return answerTooLate(click, decided.view);
    default:
      return answerNotSent(deps, click, decided, { value: id, putBack });
  }
}

/** The preview as of now. `same`: since it was shown, the same words went to this number, so it asks about that. */
async function shownAgain(
  { core }: SlackDeps,
  { view, same }: { view: SendView; same?: SameWords },
): Promise<Message> {
  const linked = await core.links.find(view.channel);
  if (!linked) return staleDraft();
  const { link, instance } = linked;
  const { balance, estimate, by } = view.details;
  return draftMessage({
    view,
    same,
    instanceName: instance.name,
    threshold: link.threshold,
    crossesThreshold: crossesThreshold(link, balance, estimate.credits),
    budgets: await core.links.budgets(link, by),
  });
}
