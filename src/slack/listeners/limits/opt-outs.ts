import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { type ReadSend, readSend } from '../../../core/sends/typed-send.ts';
import { numbersInText } from '../../../core/texts/numbers-in-text.ts';
import { type ReadNumber, readNumber } from '../../../core/texts/phone.ts';
import { RefusedError, refuseIf } from '../../answers/apology.ts';
import { fieldOf, typedIn, writeMetadata } from '../../forms/form-data.ts';
import { plainWords } from '../../people/plain-words.ts';
import type { CommandHandler, CommandRequest, SlackRequest } from '../../requests/slack-request.ts';
import type { Message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import { NO_NUMBER_IN_MESSAGE, optInForm, optOutForm } from '../../ui/limits/opt-out-forms.ts';
import * as words from '../../ui/limits/opt-outs.ts';
import { numberSentence, whichNumber } from '../../ui/texts/typed-problems.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answered, type FormHandler, submitterOf } from '../submission.ts';

/** How many opt-outs `/sms optouts` names. */
const NEWEST = 5;
/** How many numbers of a message the form offers. */
const MOST_NUMBERS = 20;

/** `/sms optout <number> <why>`: nobody of this workspace can text the number from now on. */
export const optOutCommand: CommandHandler = async (deps, request) => {
  const { person, channel, answer } = request;
  refuseIf(await deps.rights.optOutRefusal(person, channel));
  const { number, reason } = await numberTyped(deps, request, 'optout');
  await answer(await optOut(deps, number, { by: person.id, via: 'command', channel, reason }));
};

/** `/sms optin <number>`: the form that asks why. It opens before Slack has said whether the person may: that can take long. */
export const optInCommand: CommandHandler = async (deps, request) => {
  const { person, channel, open, to } = request;
  const { number } = await numberTyped(deps, request, 'optin');
  await open(TITLES.optInForm, async () => {
    refuseIf(await deps.rights.optOutRefusal(person, channel));
    const found = await deps.core.optOuts.find(number.digits);
    if (!found?.isOut) return words.notOptedOut(number).text;
    const optedOutAt = found.events.at(-1)?.at;
    return optInForm({ number, found, metadata: writeMetadata({ channel, to, optedOutAt }) });
  });
};

/** `/sms optouts`: how many there are, the newest, and the way to many at once. */
export const optOutsCommand: CommandHandler = async (deps, { person, channel, answer }) => {
  const isAdmin = mayAdminister(person);
  refuseIf(!isAdmin && (await deps.rights.notASender(person, channel)));
  await answer(
    words.optOutsMessage({
      total: await deps.core.optOuts.count(),
      newest: await deps.core.optOuts.newest(NEWEST),
      mayChange: (await deps.rights.optOutRefusal(person, channel)) === undefined,
      mayExport: isAdmin,
    }),
  );
};

/** Reads a number and the words after it, as `/sms send` does. @throws RefusedError if it can't be used */
async function numberTyped(
  deps: SlackDeps,
  { channel, rest }: CommandRequest,
  command: 'optout' | 'optin',
): Promise<{ number: ReadNumber; reason: string }> {
  const read = readSend(rest, await deps.rights.countryIn(channel));
  if ('number' in read) return { number: read.number, reason: read.given.text.trim() };
  const isSeveral = read.kind === 'problem' && read.problem.code === 'several_numbers';
  const next = isSeveral && command === 'optout' ? words.IMPORT_BUTTON : undefined;
  throw new RefusedError(words.optOutUsage(command, whyNoNumber(read), next));
}

function whyNoNumber(read: Exclude<ReadSend, { number: ReadNumber }>): string | undefined {
  if (read.kind === 'empty') return undefined;
  if (read.kind === 'ambiguous') return whichNumber(read.readings.map(({ number }) => number));
  return read.problem.code === 'no_number' ? words.NUMBER_FIRST : numberSentence(read.problem);
}

/** Opts a number out. If it already was opted out, the answer says who did that, and when. */
async function optOut(
  { core: { optOuts } }: SlackDeps,
  number: ReadNumber,
  wish: { by: string; via: 'command' | 'shortcut'; channel: string; reason: string },
): Promise<Message> {
  const changed = await optOuts.change([number.digits], { to: 'out', ...wish });
  const before = changed === 0 ? (await optOuts.find(number.digits))?.events.at(-1) : undefined;
  return words.optedOutMessage(number, before, wish.reason);
}

/** Opens the form that opts out a number of a Slack message. If `text` (mrkdwn) names no number, says so. */
export async function openOptOutForm(deps: SlackDeps, request: SlackRequest, text: string): Promise<void> {
  const { person, channel, open, to } = request;
  await open(TITLES.optOutForm, async () => {
    refuseIf(await deps.rights.optOutRefusal(person, channel));
    const country = await deps.rights.countryIn(channel);
    const numbers = numbersInText(await plainWords(deps.web, text), country, MOST_NUMBERS);
    return numbers.length === 0
      ? NO_NUMBER_IN_MESSAGE
      : optOutForm({ numbers, metadata: writeMetadata({ channel, to }) });
  });
}

/** The form of `/sms optin`, with a reason. */
export const submitOptIn = changing('in');

/** The form of **Stop texting this number**. */
export const submitOptOut = changing('out');

function changing(to: 'in' | 'out'): FormHandler {
  return answered(async (deps, form) => {
    const { values, metadata } = form;
    const { channel = '' } = metadata;
    const { optOuts } = deps.core;
    const person = await submitterOf(deps, form);
    refuseIf(await deps.rights.optOutRefusal(person, channel));
    const given = fieldOf(values, FIELDS.number);
    const typed = given?.selected_option?.value ?? given?.value ?? '';
    const number = readNumber(typed, await deps.rights.countryIn(channel));
    if (number.kind !== 'number') return { errors: { [FIELDS.number]: numberSentence(number) } };
    const wish = { by: person.id, channel, reason: typedIn(values, FIELDS.reason) };
    if (to === 'out') return { notice: (await optOut(deps, number, { ...wish, via: 'shortcut' })).text };
    const last = (await optOuts.find(number.digits))?.events.at(-1);
    // The person read about another opt-out: somebody renewed it meanwhile, or the person changed the number.
    if (last?.to === 'out' && last.at !== metadata.optedOutAt)
      return { notice: words.optedOutMessage(number, last).text };
    const changed = await optOuts.change([number.digits], { to, via: 'command', ...wish });
    return { notice: (changed > 0 ? words.optedInMessage(number) : words.notOptedOut(number)).text };
  });
}
