import { refuseIf } from '../../answers/apology.ts';
import { openHome } from '../../home/publish-home.ts';
import { staleDraft, unknownRefused } from '../../ui/draft-refusals.ts';
import { receiptMessage } from '../../ui/texts/receipt.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { statusOf } from '../reports/status.ts';

type Decision = 'saySent' | 'leaveUnknown';

/** **It arrived**, in the receipt, which then says so. */
export const itArrived: ClickHandler = async (deps, click) => {
  const view = await decide(deps, click, 'saySent');
  // The receipt holds number and text: nobody else may see it.
  if (view?.details.by === click.person.id) await click.replace(receiptMessage(view));
};

/** **It arrived** and **Leave it**, in the list of `/sms status`: the list without that text. */
export const itArrivedInList = inList('saySent');
export const leaveItInList = inList('leaveUnknown');

/** The same on a Home: the Home without that text. */
export const itArrivedAtHome = atHome('saySent');
export const leaveItAtHome = atHome('leaveUnknown');

function inList(decision: Decision): ClickHandler {
  return async (deps, click) => {
    const view = await decide(deps, click, decision);
    const linked = view && (await deps.core.links.find(view.channel));
    if (linked) await click.replace(await statusOf(deps, linked, click.person));
  };
}

function atHome(decision: Decision): ClickHandler {
  return async (deps, click) => {
    if (await decide(deps, click, decision)) await openHome(deps, click.person.id);
  };
}

/** Saves the person's decision. Returns the text as it is now. If nothing was saved, answers why. */
async function decide(deps: SlackDeps, { person, value, answer }: Click, decision: Decision) {
  const view = await deps.core.sends.view(value);
  refuseIf(view && (await deps.rights.membershipRefusal(person, view.channel)));
  const decided = await deps.core.sends[decision](value, person);
  if (view)
    deps.log.info(
      { send: view.id, decision, result: decided.kind },
      'somebody decided about an unknown text',
    );
  if (decided.kind === 'decided') return decided.view;
  if (decided.kind === 'too_late') await answer(unknownRefused(decided.why));
  else if (decided.kind === 'missing') await answer(staleDraft());
  else await answer(await deps.rights.refusalMessage(person, decided, view));
  return undefined;
}
