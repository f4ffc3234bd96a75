import { showBalance } from '../../show-balance.ts';
import type { CommandHandler } from './command.ts';

/** `/sms balance`: what the service says now. */
export const balanceCommand: CommandHandler = async (deps, { person, channel, reply }) => {
  await reply(await showBalance(deps, person, channel));
};
