import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { statementFor } from '../../answers/show-statement.ts';
import { adminsOnly, takesNoArgument } from '../../ui/access-refusals.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms statement`: where the credits went this month. In a linked channel of its account, elsewhere of the first. */
export const statementCommand: CommandHandler = async (deps, { person, channel, word, rest, reply }) => {
  if (rest !== '') return reply(takesNoArgument(word));
  if (!mayAdminister(person)) return reply(adminsOnly(word));
  const linked = await deps.core.links.find(channel);
  await reply(await statementFor(deps, { instance: linked?.instance.id }));
};
