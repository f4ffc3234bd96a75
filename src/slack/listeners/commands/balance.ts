import { showBalance } from '../../answers/show-balance.ts';
import { channelsOnly } from '../../ui/access-refusals.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms balance`: what the service says now. Asking costs a permit, so record the command first. */
export const balanceCommand: CommandHandler = async (
  deps,
  { person, channel, inDirectMessage, isFirst, answer },
) => {
  if (inDirectMessage) return answer(channelsOnly('balance'));
  await showBalance(deps, { person, channel, mayAsk: isFirst }, answer);
};
