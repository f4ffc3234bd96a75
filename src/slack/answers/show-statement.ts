import type { InstanceView } from '../../core/accounts/instance-view.ts';
import { lastMonth, thisMonth } from '../../core/accounts/periods.ts';
import type { Days } from '../../core/accounts/statement.ts';
import type { ShownMessage } from '../ui/blocks.ts';
import { NO_ACCOUNTS, noStatement, statementMessage } from '../ui/reports/statement.ts';
import { withStatementCharts } from '../ui/reports/statement-charts.ts';
import type { StatementChoice } from '../ui/reports/statement-choices.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * The statement of an instance's account, of this month where no days are given. Without an instance, or where it is
 * gone: of the first account. Only for admins: the caller has checked that.
 */
export async function statementFor(
  deps: SlackDeps,
  { instance: id, days }: { instance?: string | undefined; days?: Days | undefined },
): Promise<ShownMessage> {
  const { core } = deps;
  const all = await core.instances.list();
  const instance = all.find((one) => one.id === id) ?? all[0];
  if (!instance) return { shown: NO_ACCOUNTS };
  const now = core.now();
  const choice: StatementChoice = {
    instance: instance.id,
    days: days ?? thisMonth(now),
    accounts: accountsOf(all, instance),
    presets: { thisMonth: thisMonth(now), lastMonth: lastMonth(now) },
  };
  const statement = await core.statement(instance, choice.days);
  const { userName } = instance;
  if (!statement || !('opening' in statement)) return { shown: noStatement(statement, { choice, userName }) };
  const message = statementMessage(statement, { choice, userName, runway: await core.runway(instance) });
  return withStatementCharts(message, statement, await thresholdOf(deps, instance));
}

/** The highest low-credit threshold of the channels that spend from the instance's account; 0: none has one. */
export async function thresholdOf({ core }: SlackDeps, { accountId }: InstanceView): Promise<number> {
  const all = await core.instances.list();
  const paying = new Set(all.filter((one) => one.accountId === accountId).map(({ id }) => id));
  const links = (await core.links.list()).filter(({ instanceId }) => paying.has(instanceId));
  return Math.max(0, ...links.map(({ threshold }) => threshold));
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
