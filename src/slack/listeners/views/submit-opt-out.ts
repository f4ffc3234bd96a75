import { countryOf } from '../../../core/accounts/links.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { readMetadata } from '../../forms/form-metadata.ts';
import { fieldOf, typedIn } from '../../forms/view-values.ts';
import { optOutRefusal } from '../../people/opt-out-right.ts';
import { FIELDS } from '../../ui/ids.ts';
import { notOptedOut, optedInMessage, optedOutMessage } from '../../ui/limits/opt-outs.ts';
import { numberSentence } from '../../ui/texts/number-problems.ts';
import { noticeView, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answerInTime, type FormResult, type ViewHandler } from './submission.ts';

/** The form of `/sms optin`, with a reason. */
export function submitOptIn(deps: SlackDeps): ViewHandler {
  return submit(deps, { to: 'in', via: 'command', title: TITLES.optInForm });
}

/** The form of **Stop texting this number**. */
export function submitOptOut(deps: SlackDeps): ViewHandler {
  return submit(deps, { to: 'out', via: 'shortcut', title: TITLES.optOutForm });
}

function submit(
  deps: SlackDeps,
  { to, via, title }: { to: 'in' | 'out'; via: 'command' | 'shortcut'; title: string },
): ViewHandler {
  return async (args) => {
    const { view } = args;
    const { channel = '' } = readMetadata(view.private_metadata);
    const { values } = view.state;

    async function work(person: Person): Promise<FormResult> {
      const { optOuts, links } = deps.core;
      const refusal = await optOutRefusal(deps, person, channel);
      if (refusal) return { view: noticeView(title, refusal.text) };
      const linked = await links.find(channel);
      const given = fieldOf(values, FIELDS.number);
      const typed = given?.selected_option?.value ?? given?.value ?? '';
      const number = readNumber(typed, linked && countryOf(linked.link));
      if (number.kind !== 'number') return { errors: { [FIELDS.number]: numberSentence(number) } };
      const reason = typedIn(values, FIELDS.reason);
      const changed = await optOuts.change([number.digits], { to, by: person.id, via, channel, reason });
      if (to === 'in') {
        const message = changed > 0 ? optedInMessage(number) : notOptedOut(number);
        return { view: noticeView(title, message.text) };
      }
      const before = changed === 0 ? (await optOuts.find(number.digits))?.events.at(-1) : undefined;
      return { view: noticeView(title, optedOutMessage(number, before).text) };
    }

    await answerInTime(deps, args, work, { title });
  };
}
