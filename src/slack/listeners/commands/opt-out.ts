import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { readSend } from '../../../core/sends/typed-send.ts';
import type { ReadNumber } from '../../../core/texts/phone.ts';
import { openOptInForm } from '../../forms/open-opt-out-form.ts';
import { notASender, optOutRefusal } from '../../people/opt-out-right.ts';
import { countryIn } from '../../people/usable-link.ts';
import { takesNoArgument } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import {
  NUMBER_FIRST,
  notOptedOut,
  optedOutMessage,
  optOutsMessage,
  optOutUsage,
} from '../../ui/limits/opt-outs.ts';
import { numberSentence, whichNumber } from '../../ui/texts/typed-problems.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { CommandHandler, CommandRequest } from './command-types.ts';

const NEWEST = 5;

/** `/sms optout <number> <why>`: nobody of this workspace can text the number from now on. */
export const optOutCommand: CommandHandler = async (deps, request) => {
  const { person, channel, answer } = request;
  const typed = await typedIn(deps, request, 'optout');
  if ('refusal' in typed) return answer(typed.refusal);
  const { number, words: reason } = typed;
  const wish = { to: 'out', by: person.id, via: 'command', channel, reason } as const;
  const changed = await deps.core.optOuts.change([number.digits], wish);
  const before = changed === 0 ? (await deps.core.optOuts.find(number.digits))?.events.at(-1) : undefined;
  await answer(optedOutMessage(number, before));
};

/** `/sms optin <number>`: the form that asks why. */
export const optInCommand: CommandHandler = async (deps, request) => {
  const typed = await typedIn(deps, request, 'optin');
  if ('refusal' in typed) return request.answer(typed.refusal);
  const { number } = typed;
  const found = await deps.core.optOuts.find(number.digits);
  if (!found?.isOut) return request.answer(notOptedOut(number));
  await openOptInForm(deps, request, { number, found });
};

/** `/sms optouts`: how many there are, the newest, and the way to many at once. */
export const optOutsCommand: CommandHandler = async (deps, { person, channel, word, rest, answer }) => {
  if (rest !== '') return answer(takesNoArgument(word));
  const isAdmin = mayAdminister(person);
  const refusal = isAdmin ? undefined : await notASender(deps, person, channel);
  if (refusal) return answer(refusal);
  await answer(
    optOutsMessage({
      total: await deps.core.optOuts.count(),
      newest: await deps.core.optOuts.newest(NEWEST),
      mayChange: (await optOutRefusal(deps, person, channel)) === undefined,
      mayExport: isAdmin,
    }),
  );
};

/** The number that was typed, with the words behind it, read as after `/sms send`; or why it is not taken. */
async function typedIn(
  deps: SlackDeps,
  { person, channel, rest }: CommandRequest,
  command: 'optout' | 'optin',
): Promise<{ number: ReadNumber; words: string } | { refusal: Message }> {
  const refusal = await optOutRefusal(deps, person, channel);
  if (refusal) return { refusal };
  const read = readSend(rest, await countryIn(deps, channel));
  if (read.kind === 'empty') return { refusal: optOutUsage(command) };
  if ('number' in read) return { number: read.number, words: read.given.text.trim() };
  if (read.kind === 'ambiguous')
    return { refusal: optOutUsage(command, whichNumber(read.readings.map(({ number }) => number))) };
  const isWord = read.problem.code === 'no_number';
  return { refusal: optOutUsage(command, isWord ? NUMBER_FIRST : numberSentence(read.problem)) };
}
