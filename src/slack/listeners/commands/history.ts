import { showHistory } from '../../answers/show-history.ts';
import { showLookUp } from '../../answers/show-look-up.ts';
import { channelsOnly } from '../../ui/access-refusals.ts';
import { HISTORY_USAGE } from '../../ui/reports/history.ts';
import type { CommandHandler } from './command.ts';

/**
 * `/sms history`: what was sent from this channel. `/sms history all`: from the whole workspace, for admins.
 * `/sms history <number>`: whether the number was texted.
 */
export const historyCommand: CommandHandler = async (deps, request) => {
  const { person, channel, rest, inDirectMessage, reply } = request;
  const words = rest.trim();
  if (/\p{Nd}/u.test(words)) return reply(await showLookUp(deps, { person, channel, typed: words }));
  const all = words.toLowerCase() === 'all';
  if (words !== '' && !all) return reply(HISTORY_USAGE);
  if (inDirectMessage && !all) return reply(channelsOnly('history'));
  await showHistory(deps, request, { ...(all && { all }) }, { replaces: false });
};
