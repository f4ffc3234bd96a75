import type { InstanceView } from '../../core/accounts/instance-view.ts';
import { lastMonth, thisMonth } from '../../core/accounts/periods.ts';
import type { Days } from '../../core/accounts/statement.ts';
import type { Message } from '../ui/blocks.ts';
import { noAccounts, noStatement, type StatementChoice, statementMessage } from '../ui/statement.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * The statement of an instance's account, of this month where no days are given. Without an instance, or where it is
 * gone: of the first account. Only for admins: the caller has checked that.
 */
export async function statementFor(
  { core }: Pick<SlackDeps, 'core'>,
  { instance: id, days, now }: { instance?: string | undefined; days?: Days | undefined; now: number },
): Promise<Message> {
  const all = await core.instances.list();
  const instance = all.find((one) => one.id === id) ?? all[0];
  if (!instance) return noAccounts();
  const choice: StatementChoice = {
    instance: instance.id,
    days: days ?? thisMonth(now),
    accounts: accountsOf(all, instance),
    presets: { thisMonth: thisMonth(now), lastMonth: lastMonth(now) },
  };
  const statement = await core.statement(instance, choice.days);
  const { userName } = instance;
  return statement && 'opening' in statement
    ? statementMessage(statement, { choice, userName, runway: await core.runway(instance) })
    : noStatement(statement, { choice, userName });
}

/** One instance of each account, the shown one first. */
function accountsOf(all: InstanceView[], shown: InstanceView): StatementChoice['accounts'] {
  const accounts = Map.groupBy([shown, ...all], ({ accountId }) => accountId);
  return [...accounts.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const names = new Set([first, ...rest].map(({ name }) => name));
    return [{ instance: first.id, userName: first.userName, names: [...names] }];
  });
}
