import { showBalance } from '../../show-balance.ts';
import { channelsOnly } from '../../ui/refusals.ts';
import type { CommandHandler } from './command.ts';

/** `/sms balance`: what the service says now. */
export const balanceCommand: CommandHandler = async (deps, { person, channel, inDirectMessage, reply }) => {
  if (inDirectMessage) return reply(channelsOnly('balance'));
  await showBalance(deps, { person, channel }, reply);
};
