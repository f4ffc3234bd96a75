import type { SendView } from '../../../core/sends/send-view.ts';
import { statusOf } from '../../answers/show-status.ts';
import { membershipRefusal, notLinkedFor } from '../../people/usable-link.ts';
import { receiptMessage } from '../../ui/receipt.ts';
import { saySentRefused, sendRefused, staleDraft } from '../../ui/refusals.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from './action.ts';

/** **It arrived**, in the receipt: the receipt says so. */
export const itArrived: ClickHandler = async (deps, click) => {
  const view = await saySent(deps, click);
  // The receipt holds number and text: nobody else may see it.
  if (view?.details.by === click.person.id) await click.replace(receiptMessage(view));
};

/** **It arrived**, in the list of `/sms status`: the list without it. */
export const itArrivedInList: ClickHandler = async (deps, click) => {
  const view = await saySent(deps, click);
  const linked = view && (await deps.core.links.find(view.channel));
  if (linked) await click.replace(await statusOf(deps, linked, click.person));
};

/** The text after the word was saved; undefined where it was not, and the answer says why. */
async function saySent(deps: SlackDeps, { person, value, answer }: Click): Promise<SendView | undefined> {
  const view = await deps.core.sends.view(value);
  const away = view && (await membershipRefusal(deps, person, view.channel));
  if (away) {
    await answer(away);
    return undefined;
  }
  const said = await deps.core.sends.saySent(value, person);
  if (view) deps.log.info({ send: view.id, word: said.kind }, 'It arrived was pressed');
  switch (said.kind) {
    case 'said':
      return said.view;
    case 'too_late':
      await answer(saySentRefused(said.why));
      return undefined;
    case 'missing':
      await answer(staleDraft());
      return undefined;
    case 'not_linked':
      await answer(await notLinkedFor(deps, person));
      return undefined;
    case 'refused':
      await answer(sendRefused(said.why, said.link));
      return undefined;
    default:
      return said satisfies never;
  }
}
