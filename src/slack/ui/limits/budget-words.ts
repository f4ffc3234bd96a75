import type { Button } from '@slack/types';
import type { BudgetFigures, BudgetNotice, BudgetsLeft, ShortBudget } from '../../../core/budgets/budgets.ts';
import type { ListTooLong } from '../../../core/sends/decision-answers.ts';
import { button, type Fact, type Message, message } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { count, credits, inLines, type Maybe, mention, plural, present, when } from '../words.ts';

/** The credits that are left, a line for each budget that has a limit. */
export function budgetLines({ month, day }: Pick<BudgetsLeft, 'month'> & Partial<BudgetsLeft>): string[] {
  return present(budgetLeft(month, 'this month'), day && budgetLeft(day, 'for you today'));
}

/** `120 of 1,000 credits left this month, until …`; undefined without a limit. */
export function budgetLeft(
  { limit, left, renewsAt }: BudgetFigures,
  period: 'this month' | 'for you today',
): string | undefined {
  if (limit === undefined || left === undefined) return undefined;
  return `${count(left)} of ${credits(limit)} left ${period}, until ${when(renewsAt)}`;
}

/** The same as a fact of a preview; without a value if there is no limit. */
export function budgetFact(budgets: BudgetsLeft): Fact {
  return ['Budget', inLines(...budgetLines(budgets))];
}

/** `This list may take 400 credits. #sales has 120 of 1,000 left this month, until 1 Dec. …` */
export function overBudgetWords(short: ShortBudget, what: 'text' | 'list', channel: string): string {
  const { asked, left, limit, renewsAt, person } = short;
  const whose =
    person === undefined
      ? `<#${channel}> has ${count(left)} of ${count(limit)} left this month`
      : `${mention(person)} has ${count(left)} of ${count(limit)} left today in <#${channel}>`;
  return `This ${what} may take ${credits(asked)}.\n${whose}, until ${when(renewsAt)}.\nAn admin can approve it or raise the ${person === undefined ? 'budget' : 'daily limit'}.`;
}

/** The same as a warning that names the rule. */
export function overBudgetLine(short: ShortBudget, what: 'text' | 'list', channel: string): string {
  const rule = short.person === undefined ? 'budget' : 'the daily limit';
  return `⛔ *Over ${rule}.* ${overBudgetWords(short, what, channel)}`;
}

/** The answer to **Resume** if the rest of a job does not fit into its budget. The job always counts on the day of its **Send**. */
export function stillOverBudget(over: ShortBudget, channel: string): Message {
  const { asked, left, limit, renewsAt, person } = over;
  const [rule, whose] =
    person === undefined
      ? [
          'monthly budget',
          `<#${channel}> has ${count(left)} of ${count(limit)} left in the month in which this list began`,
        ]
      : [
          'daily limit',
          `${mention(person)} has ${count(left)} of ${count(limit)} left in <#${channel}> on the day on which this list began`,
        ];
  return message(
    `⏸ *Still paused: over the ${rule}.* The rest of this list may take ${credits(asked)}.\n${whose}.\n` +
      `An admin can raise the ${rule} with \`/sms limits\`.\nOr press *Stop*, and send the rest as a new list after ${when(renewsAt)}.`,
  );
}

/** A send does not fit into its budget. `ways`: the buttons that help. */
export function overBudget(
  short: ShortBudget,
  { what, channel }: { what: 'text' | 'list'; channel: string },
  ...ways: Maybe<Button>[]
): Message {
  return message(`${overBudgetLine(short, what, channel)}\nNothing was sent.`, ...ways);
}

export function listTooLong({ recipients, most }: ListTooLong): Message {
  return message(
    `⛔ *This list is too long.* It has ${plural(recipients, 'recipient')}, and lists here may have ${count(most)}.\nNothing was sent. ` +
      'Please shorten the list. An admin can raise the limit with `/sms limits`.',
  );
}

/** `, and 120 more are reserved`: nobody has used held credits yet. Empty if no credits are held. */
export function andReserved(held: number): string {
  return held > 0 ? `, and ${count(held)} more ${held === 1 ? 'is' : 'are'} reserved` : '';
}

/**
 * News that a budget is used or held to 80 % or in full: for the channel, its admins, or the day's person.
 * `isForAdmin`: whether the reader may open **Limits**.
 */
export function budgetNotice(notice: BudgetNotice, { isForAdmin }: { isForAdmin: boolean }): Message {
  const { level, limit, used, held, renewsAt, person, channelId, to } = notice;
  const whose =
    person === undefined
      ? `<#${channelId}> has used ${count(used)} of its ${credits(limit)} this month`
      : `${to === person ? 'You have' : `${mention(person)} has`} used ${count(used)} of ${credits(limit)} today in <#${channelId}>`;
  const figures = `${whose}${andReserved(held)}.${held > 0 ? '\nWe reserve credits for texts whose cost we don’t know yet.' : ''}`;
  const rule = person === undefined ? 'budget' : 'daily limit';
  // An undo frees them, as does a text that is not sent.
  const orFree = held > 0 ? '\nIf reserved credits become free, people can send again earlier.' : '';
  const next =
    level >= 100
      ? `⛔ *The ${held > 0 ? `whole ${rule} is used or reserved` : `${rule} is used up`}.*\n${figures}\nUntil ${when(renewsAt)}, an admin must approve each send or raise the limit.${orFree}`
      : `⚠️ *${level} % of the ${rule} is used${held > 0 ? ' or reserved' : ''}.*\n${figures}\nThe ${rule} renews ${when(renewsAt)}.`;
  return message(next, isForAdmin && button(ACTIONS.openLimits, 'Limits', channelId));
}
