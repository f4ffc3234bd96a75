import type { Person } from '../../../core/accounts/permissions.ts';
import type { SendView } from '../../../core/sends/send-view.ts';
import type { SaidSent } from '../../../core/sends/sends.ts';
import { statusOf } from '../../answers/show-status.ts';
import { openHome } from '../../home/publish-home.ts';
import { membershipRefusal, notLinkedFor } from '../../people/usable-link.ts';
import { sendRefused } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { saySentRefused, staleDraft } from '../../ui/draft-refusals.ts';
import { receiptMessage } from '../../ui/texts/receipt.ts';
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

/** **It arrived**, on a Home: the Home without it. */
export const itArrivedAtHome: ClickHandler = async (deps, click) => {
  if (await saySent(deps, click)) await openHome(deps, click.person.id);
};

/** Saves the person's word. Returns the text as it is now; undefined if the answer has said why not. */
async function saySent(deps: SlackDeps, { person, value, answer }: Click): Promise<SendView | undefined> {
  const view = await deps.core.sends.view(value);
  const away = view && (await membershipRefusal(deps, person, view.channel));
  if (away) {
    await answer(away);
    return undefined;
  }
  const said = await deps.core.sends.saySent(value, person);
  if (view) deps.log.info({ send: view.id, word: said.kind }, 'It arrived was pressed');
  if (said.kind === 'said') return said.view;
  await answer(await whyNot(deps, person, said));
  return undefined;
}

async function whyNot(
  deps: SlackDeps,
  person: Person,
  refused: Exclude<SaidSent, { kind: 'said' }>,
): Promise<Message> {
  switch (refused.kind) {
    case 'too_late':
      return saySentRefused(refused.why);
    case 'missing':
      return staleDraft();
    case 'not_linked':
      return notLinkedFor(deps, person);
    case 'refused':
      return sendRefused(refused.why, refused.link);
  }
}
