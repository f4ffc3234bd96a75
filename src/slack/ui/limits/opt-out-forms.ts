import type { ModalView } from '@slack/types';
import type { OptOutView } from '../../../core/opt-outs/sealed-opt-outs.ts';
import type { ReadNumber } from '../../../core/texts/phone.ts';
import { describeNumber, formatNumber } from '../../../core/texts/phone-format.ts';
import { context, section } from '../blocks.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { field, modal, option, select, textInput } from '../modal.ts';
import { TITLES } from '../views.ts';
import { eventWords, named } from './opt-outs.ts';

/** For a message that holds no number. mrkdwn. */
export const NO_NUMBER_IN_MESSAGE =
  'No phone number was found in this message. Nothing was changed.\nYou can type `/sms optout` and the number.';

/** The form that opts a number in again, which asks why. `isAgain`: the person saw something else before. */
export function optInForm(facts: {
  number: ReadNumber;
  found: OptOutView;
  isAgain?: boolean;
  metadata: string;
}): ModalView {
  const { number, found, isAgain = false, metadata } = facts;
  const last = found.events.at(-1);
  const said = `${isAgain ? 'Please look again: ' : ''}*${named(number)}* is opted out${last ? `: by ${eventWords(last)}` : ''}.`;
  return modal(VIEWS.optInForm, { title: TITLES.optInForm, submit: 'Allow texts', metadata }, [
    section(said),
    field(FIELDS.number, 'Number', textInput({ initial: formatNumber(number.e164) })),
    field(FIELDS.reason, 'Why', textInput({ placeholder: 'They asked for texts again' }), {
      hint: 'Kept with your name: somebody may ask who allowed it.',
    }),
  ]);
}

/** The form that opts one of these numbers out, found in a message. At least one. */
export function optOutForm({ numbers, metadata }: { numbers: ReadNumber[]; metadata: string }): ModalView {
  const [first] = numbers;
  const options = numbers.map((number) => option(number.e164, describeNumber(number)));
  return modal(VIEWS.optOutForm, { title: TITLES.optOutForm, submit: 'Stop texts', metadata }, [
    field(
      FIELDS.number,
      'Number',
      numbers.length === 1
        ? textInput({ initial: first && formatNumber(first.e164) })
        : select({ options }, { placeholder: 'Which number?' }),
    ),
    field(FIELDS.reason, 'Why', textInput(), { optional: true }),
    context('Nobody in this workspace can text the number then. Texts that still wait are not sent.'),
  ]);
}
