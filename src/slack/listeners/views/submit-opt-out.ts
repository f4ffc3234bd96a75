import type { Person } from '../../../core/accounts/permissions.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { optInView } from '../../forms/open-opt-out-form.ts';
import { fieldOf, typedIn } from '../../forms/view-values.ts';
import { optOutRefusal } from '../../people/opt-out-right.ts';
import { countryIn } from '../../people/usable-link.ts';
import { FIELDS } from '../../ui/ids.ts';
import { notOptedOut, optedInMessage, optedOutMessage } from '../../ui/limits/opt-outs.ts';
import { numberSentence } from '../../ui/texts/typed-problems.ts';
import { answerInTime, type FormHandler, type FormResult } from './submission.ts';

/** The form of `/sms optin`, with a reason. */
export const submitOptIn = changing('in', 'command');

/** The form of **Stop texting this number**. */
export const submitOptOut = changing('out', 'shortcut');

function changing(to: 'in' | 'out', via: 'command' | 'shortcut'): FormHandler {
  return async (deps, form) => {
    const { values } = form;
    const { channel = '' } = form.metadata;

    async function work(person: Person): Promise<FormResult> {
      const { optOuts } = deps.core;
      const refusal = await optOutRefusal(deps, person, channel);
      if (refusal) return { notice: refusal.text };
      const given = fieldOf(values, FIELDS.number);
      const typed = given?.selected_option?.value ?? given?.value ?? '';
      const number = readNumber(typed, await countryIn(deps, channel));
      if (number.kind !== 'number') return { errors: { [FIELDS.number]: numberSentence(number) } };
      const found = to === 'in' ? await optOuts.find(number.digits) : undefined;
      // Somebody opted it out once more, or another number was typed: what the person read is not about that.
      if (found?.isOut && found.events.at(-1)?.at !== form.metadata.optedOutAt)
        return { view: optInView(form.metadata, { number, found, isAgain: true }) };
      const reason = typedIn(values, FIELDS.reason);
      const changed = await optOuts.change([number.digits], { to, by: person.id, via, channel, reason });
      if (to === 'in') return { notice: (changed > 0 ? optedInMessage(number) : notOptedOut(number)).text };
      const before = changed === 0 ? (await optOuts.find(number.digits))?.events.at(-1) : undefined;
      return { notice: optedOutMessage(number, before).text };
    }

    await answerInTime(deps, form, work);
  };
}
