import type { InstanceView } from '../../../core/accounts/instance-view.ts';
import { dayOf, lastMonth, thisMonth } from '../../../core/accounts/periods.ts';
import type { Days } from '../../../core/accounts/statement.ts';
import { RefusedError } from '../../answers/apology.ts';
import { balancePicture, statementCsv } from '../../files/statement-files.ts';
import { handOverFile } from '../../files/upload-file.ts';
import { fieldOf, writeMetadata } from '../../forms/form-data.ts';
import type { CommandHandler } from '../../requests/slack-request.ts';
import { message, type ShownMessage } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import * as statements from '../../ui/reports/statement.ts';
import { outcomesMessage } from '../../ui/reports/statement-charts.ts';
import * as choices from '../../ui/reports/statement-choices.ts';
import { INSTANCE_REMOVED } from '../../ui/setup/key-forms.ts';
import { DAYS_REVERSED } from '../../ui/utc-days.ts';
import { TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import type { Click, ClickHandler } from '../click.ts';
import { adminOf, answered } from '../submission.ts';

/** **Statement** on a Home or in a notice: of this month. */
export const showStatement: ClickHandler = async (deps, { value, answer }) => {
  const { instance, days } = choices.readStatementValue(value);
  await answer(await statementFor(deps, instance, days));
};

/** Another account, or other days: in the statement's place. **Other dates…** asks for them. */
export const chooseStatement: ClickHandler = async (deps, { value, open, to, replace }) => {
  const { instance, days: chosen, asks } = choices.readStatementValue(value);
  if (!asks) return replace(await statementFor(deps, instance, chosen));
  const metadata = writeMetadata({ to, instance });
  const days = thisMonth(deps.core.now());
  await open(TITLES.statement, () => choices.statementDatesForm({ days, metadata }));
};

/** **Outcomes by day**: what became of texts on the shown days, as it is now. */
export const showOutcomes: ClickHandler = async (deps, click) => {
  const { instance, statement } = await shownStatement(deps, click);
  await click.answer(outcomesMessage(instance.userName, statement));
};

/** **Export CSV**: the shown statement, as it is now, with a picture of its balance. */
export const exportStatement: ClickHandler = async (deps, click) => {
  const { person, answer } = click;
  const { instance, statement } = await shownStatement(deps, click);
  const comment = statements.statementTitle(instance.userName, statement.days);
  const threshold = await thresholdOf(deps, instance);
  const drawn = await balancePicture(statement, { threshold, comment });
  const picture = await handOverFile(deps, person.id, drawn);
  const csv = { name: statements.STATEMENT_FILE, bytes: statementCsv(statement), comment };
  const delivered = await handOverFile(deps, person.id, csv);
  await answer(statements.exportedMessage(delivered, picture));
};

/** The statement that the button belongs to, as it is now. @throws RefusedError if there is none */
async function shownStatement(deps: SlackDeps, { value }: Click) {
  const { instance: id, days = thisMonth(deps.core.now()) } = choices.readStatementValue(value);
  const instance = await deps.core.instances.get(id);
  if (!instance) throw new RefusedError(message(INSTANCE_REMOVED));
  const statement = await deps.core.statement(instance, days);
  if (statement && 'opening' in statement) return { instance, statement };
  throw new RefusedError((await statementFor(deps, id, days)).shown);
}

/** `/sms statement`: where the credits went this month, of the channel's account, or of the first one. */
export const statementCommand: CommandHandler = async (deps, { channel, answer }) => {
  const linked = await deps.core.links.find(channel);
  await answer(await statementFor(deps, linked?.instance.id));
};

/** An account's statement, of this month by default; of the first account if the instance is gone. For admins. */
async function statementFor(deps: SlackDeps, id?: string, days?: Days): Promise<ShownMessage> {
  const { core } = deps;
  const all = await core.instances.list();
  const instance = all.find((one) => one.id === id) ?? all[0];
  if (!instance) return { shown: statements.NO_ACCOUNTS };
  const now = core.now();
  const choice: choices.StatementChoice = {
    instance: instance.id,
    days: days ?? thisMonth(now),
    accounts: accountsOf(all, instance),
    presets: { thisMonth: thisMonth(now), lastMonth: lastMonth(now) },
  };
  const statement = await core.statement(instance, choice.days);
  const { userName } = instance;
  if (!statement || !('opening' in statement))
    return { shown: statements.noStatement(statement, { choice, userName }) };
  const runway = await core.runway(instance);
  const threshold = await thresholdOf(deps, instance);
  return statements.statementMessage(statement, { choice, userName, runway, threshold });
}

/** The highest low-credit threshold of the channels that spend from the instance's account; 0: none has one. */
async function thresholdOf({ core }: SlackDeps, { accountId }: InstanceView): Promise<number> {
  const all = await core.instances.list();
  const paying = new Set(all.filter((one) => one.accountId === accountId).map(({ id }) => id));
  const links = (await core.links.list()).filter(({ instanceId }) => paying.has(instanceId));
  return Math.max(0, ...links.map(({ threshold }) => threshold));
}

/** One instance of each account, the shown account first. */
function accountsOf(all: InstanceView[], shown: InstanceView): choices.StatementChoice['accounts'] {
  const accounts = Map.groupBy([shown, ...all], ({ accountId }) => accountId);
  return [...accounts.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const names = new Set([first, ...rest].map(({ name }) => name));
    return [{ instance: first.id, userName: first.userName, names: [...names] }];
  });
}

/** The form for the days of a statement. The statement appears where the person asked for it. */
export const submitStatementDates = answered(async (deps, form) => {
  const dayIn = (id: string) => dayOf(Date.parse(fieldOf(form.values, id)?.selected_date ?? ''));
  const [from, last, today] = [dayIn(FIELDS.fromDay), dayIn(FIELDS.toDay), dayOf(deps.core.now())];
  const wrong = (error: string) => ({ errors: { [FIELDS.toDay]: error } });
  if (!(from <= last)) return wrong(DAYS_REVERSED);
  if (from > today) return wrong(choices.DAYS_TO_COME);
  if (last - from >= choices.MOST_STATEMENT_DAYS) return wrong(choices.TOO_MANY_DAYS);
  await adminOf(deps, form, 'statement');
  const { instance, to } = form.metadata;
  const days = { from, to: Math.min(last, today) };
  await deps.replies.toPerson(to, await statementFor(deps, instance, days));
  return { closes: true };
});
