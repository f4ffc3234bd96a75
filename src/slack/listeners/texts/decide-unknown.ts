import type { SendView } from '../../../core/sends/send-view.ts';
import { refuseIf } from '../../answers/apology.ts';
import { openHome } from '../../home/publish-home.ts';
import { staleDraft, unknownRefused } from '../../ui/draft-refusals.ts';
import { receiptMessage } from '../../ui/texts/receipt.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { statusOf } from '../reports/status.ts';

/** **It arrived**, in the receipt, which then says so. */
export const itArrived = deciding('saySent', showReceipt);

/** **It arrived** and **Leave it**, in the list of `/sms status`: the list without that text. */
export const itArrivedInList = deciding('saySent', showList);
export const leaveItInList = deciding('leaveUnknown', showList);

/** The same on a Home: the Home without that text. */
export const itArrivedAtHome = deciding('saySent', showHome);
export const leaveItAtHome = deciding('leaveUnknown', showHome);

/** Saves the person's decision, and shows the text as it is now. If nothing was saved, answers why. */
function deciding(
  decision: 'saySent' | 'leaveUnknown',
  show: (deps: SlackDeps, click: Click, view: SendView) => Promise<void>,
): ClickHandler {
  return async (deps, click) => {
    const { person, value: send, answer } = click;
    const view = await deps.core.sends.view(send);
    if (!view) return answer(staleDraft());
    refuseIf(await deps.rights.membershipRefusal(person, view.channel));
    const decided = await deps.core.sends[decision](send, person);
    deps.log.info({ send, decision, result: decided.kind }, 'somebody decided about an unknown text');
    switch (decided.kind) {
      case 'decided':
        return show(deps, click, decided.view);
      case 'missing':
        return answer(staleDraft());
      case 'too_late':
        return answer(unknownRefused(decided.why));
      default:
        return answer(await deps.rights.refusalMessage(person, decided, view));
    }
  };
}

async function showReceipt(_deps: SlackDeps, { person, replace }: Click, view: SendView): Promise<void> {
  // The receipt holds number and text: nobody else may see it.
  if (view.details.by === person.id) await replace(receiptMessage(view));
}

async function showList(deps: SlackDeps, { person, replace }: Click, { channel }: SendView): Promise<void> {
  const linked = await deps.core.links.find(channel);
  if (linked) await replace(await statusOf(deps, linked, person));
}

function showHome(deps: SlackDeps, { person }: Click): Promise<void> {
  return openHome(deps, person.id);
}
