import { mayAdminister, type Person } from '../../../core/accounts/permissions.ts';
import { readNumber } from '../../../core/texts/phone.ts';
import { showHistory } from '../../answers/show-history.ts';
import { countryIn } from '../../people/usable-link.ts';
import { channelsOnly } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { HISTORY_USAGE } from '../../ui/reports/history.ts';
import { lookedUpMessage, lookUpProblem, NO_CHANNEL_TO_READ } from '../../ui/reports/look-up.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { CommandHandler } from './command-types.ts';

/**
 * `/sms history`: what was sent from this channel. `/sms history all`: from the whole workspace, for admins.
 * `/sms history <number>`: whether the number was texted.
 */
export const historyCommand: CommandHandler = async (deps, request) => {
  const { person, channel, rest, inDirectMessage, answer } = request;
  const words = rest.trim();
  if (/\p{Nd}/u.test(words)) return answer(await showLookUp(deps, { person, channel, typed: words }));
  const all = words.toLowerCase() === 'all';
  if (words !== '' && !all) return answer(HISTORY_USAGE);
  if (inDirectMessage && !all) return answer(channelsOnly('history'));
  await showHistory(deps, request, { ...(all && { all }) }, { replaces: false });
};

/**
 * Says whether a number was texted: from any channel to admins, to others from the channels that they are in and may send
 * from. `typed` is read as in the channel where it was typed.
 */
async function showLookUp(
  { core, conversations }: SlackDeps,
  { person, channel, typed }: { person: Person; channel: string; typed: string },
): Promise<Message> {
  const read = readNumber(typed, await countryIn({ core }, channel));
  if (read.kind !== 'number') return lookUpProblem(read);
  const isAdmin = mayAdminister(person);
  const readable = isAdmin ? [] : await conversations.sendableBy(person);
  if (!isAdmin && readable.length === 0) return NO_CHANNEL_TO_READ;
  const ids = new Set(readable.map(({ id }) => id));
  const found = await core.lookUp(read.digits, (id) => isAdmin || ids.has(id));
  return lookedUpMessage(read, found, { isAdmin });
}
