import { showHistory } from '../../answers/show-history.ts';
import { historyUsage } from '../../ui/history.ts';
import { channelsOnly } from '../../ui/refusals.ts';
import type { CommandHandler } from './command.ts';
import { lookUpNumber } from './history-number.ts';

/** What a typed number may be made of: one digit at least. */
const NUMBER_LIKE = /^[+\d\s().\-/]*\d[\d\s().\-/]*$/;

/** `/sms history`: what was sent from this channel. `/sms history all`: from the whole workspace, for admins. */
export const historyCommand: CommandHandler = async (deps, request) => {
  const { rest, inDirectMessage, reply } = request;
  const words = rest.trim();
  if (NUMBER_LIKE.test(words)) return lookUpNumber(deps, request);
  const all = words.toLowerCase() === 'all';
  if (words !== '' && !all) return reply(historyUsage());
  if (inDirectMessage && !all) return reply(channelsOnly('history'));
  await showHistory(deps, request, { ...(all && { all }) }, { replaces: false });
};
