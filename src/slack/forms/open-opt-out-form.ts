import type { ModalView } from '@slack/types';
import type { OptOutView } from '../../core/opt-outs/sealed-opt-outs.ts';
import { numbersInText } from '../../core/texts/numbers-in-text.ts';
import type { ReadNumber } from '../../core/texts/phone.ts';
import { optOutRefusal } from '../people/opt-out-right.ts';
import { plainWords } from '../people/plain-words.ts';
import { countryIn } from '../people/usable-link.ts';
import type { SlackRequest } from '../requests/slack-request.ts';
import { NO_NUMBER_IN_MESSAGE, optInForm, optOutForm } from '../ui/limits/opt-out-forms.ts';
import { TITLES } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { type FormMetadata, writeMetadata } from './form-metadata.ts';
import { openModal } from './open-modal.ts';

const MOST_NUMBERS = 20;

/** Opens the form that opts a number in again. */
export async function openOptInForm(
  deps: SlackDeps,
  { channel, triggerId, to }: SlackRequest,
  about: { number: ReadNumber; found: OptOutView },
): Promise<void> {
  await openModal(deps, triggerId, TITLES.optInForm, () => optInView({ channel, to }, about));
}

/** The form for what is known of the number now. `isAgain`: the person saw something else before. */
export function optInView(
  metadata: FormMetadata,
  about: { number: ReadNumber; found: OptOutView; isAgain?: boolean },
): ModalView {
  const optedOutAt = about.found.events.at(-1)?.at;
  return optInForm({ ...about, metadata: writeMetadata({ ...metadata, optedOutAt }) });
}

/** Opens the form that opts out a number of a message, in Slack's own formatting; says so where there is none. */
export async function openOptOutForm(
  deps: SlackDeps,
  { person, channel, triggerId, to }: SlackRequest,
  text: string,
): Promise<void> {
  await openModal(deps, triggerId, TITLES.optOutForm, async () => {
    const refusal = await optOutRefusal(deps, person, channel);
    if (refusal) return refusal.text;
    const country = await countryIn(deps, channel);
    const numbers = numbersInText(await plainWords(deps.web, text), country, MOST_NUMBERS);
    return numbers.length === 0
      ? NO_NUMBER_IN_MESSAGE
      : optOutForm({ numbers, metadata: writeMetadata({ channel, to }) });
  });
}
