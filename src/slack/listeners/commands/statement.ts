import { mayAdminister } from '../../../core/accounts/permissions.ts';
import { statementFor } from '../../answers/show-statement.ts';
import { adminsOnly, takesNoArgument } from '../../ui/access-refusals.ts';
import type { CommandHandler } from './command-types.ts';

/** `/sms statement`: where the credits went this month. In a linked channel of its account, elsewhere of the first. */
export const statementCommand: CommandHandler = async (deps, { person, channel, word, rest, answer }) => {
  if (rest !== '') return answer(takesNoArgument(word));
  if (!mayAdminister(person)) return answer(adminsOnly(word));
  const linked = await deps.core.links.find(channel);
  await answer(await statementFor(deps, { instance: linked?.instance.id }));
};
