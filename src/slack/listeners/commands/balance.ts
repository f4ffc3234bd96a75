import { showBalance } from '../../show-balance.ts';
import { channelsOnly } from '../../ui/refusals.ts';
import type { CommandHandler } from './command.ts';

/** `/sms balance`: what the service says now. Only to ask it costs something, so only that is done once. */
export const balanceCommand: CommandHandler = async (
  deps,
  { person, channel, inDirectMessage, isFirst, reply },
) => {
  if (inDirectMessage) return reply(channelsOnly('balance'));
  await showBalance(deps, { person, channel, mayAsk: isFirst }, reply);
};
