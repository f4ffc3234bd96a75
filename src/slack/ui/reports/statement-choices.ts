import type { ActionsBlock, ModalView } from '@slack/types';
import type { Days } from '../../../core/accounts/statement.ts';
import { button, type Part } from '../blocks.ts';
import { ACTIONS, FIELDS, VIEWS } from '../ids.ts';
import { dayInput, field, menu, modal, option } from '../modal.ts';
import { oneLine } from '../safe-text.ts';
import { daysWords, isoDay } from '../utc-days.ts';
import { TITLES } from '../views.ts';
import { present } from '../words.ts';

/** How many accounts the menu offers, and how much of their names it shows: a message has little room. */
const MOST_ACCOUNTS = 25;
const ACCOUNT_NAME_MAX = 40;
/** Replaces the days in a value: a form then asks for them. */
const ASKS = 'dates';

/** The statement that is shown, and the others. An instance's id names its account. */
export interface StatementChoice {
  instance: string;
  days: Days;
  /** Each account by one instance, with the names of the account and of all its instances. */
  accounts: { instance: string; userName: string; names: string[] }[];
  presets: { thisMonth: Days; lastMonth: Days };
}

/**
 * Reads the value of a button or option that shows or exports a statement. `days` is undefined if the value names none:
 * then this month is meant, or the form asks.
 */
export function readStatementValue(value: string): { instance: string; days?: Days; asks: boolean } {
  const [instance = '', from = '', to = ''] = value.split(' ');
  const days = { from: Number(from), to: Number(to) };
  const isGiven = /^\d{1,6}$/.test(from) && /^\d{1,6}$/.test(to) && days.from <= days.to;
  return { instance, ...(isGiven ? { days } : {}), asks: from === ASKS };
}

/** Menus for other accounts and other days, and the buttons of a statement that has figures. */
export function statementChoices(choice: StatementChoice, { hasFigures }: { hasFigures: boolean }): Part[] {
  const { instance, days, accounts, presets } = choice;
  const choiceValue = (of: string, { from, to }: Days) => [of, from, to].join(' ');
  const shown = { chosen: choiceValue(instance, days), placeholder: 'Choose' };
  const offered = accounts
    .slice(0, MOST_ACCOUNTS)
    .map(({ instance: of, userName, names }) =>
      option(choiceValue(of, days), oneLine(`${userName} (${names.join(', ')})`, ACCOUNT_NAME_MAX)),
    );
  const account = menu(ACTIONS.chooseStatementAccount, { options: offered }, shown);
  const periods = [
    option(choiceValue(instance, presets.thisMonth), 'This month'),
    option(choiceValue(instance, presets.lastMonth), 'Last month'),
  ];
  const isPreset = periods.some(({ value }) => value === shown.chosen);
  const options = present(
    ...periods,
    !isPreset && option(shown.chosen, daysWords(days)),
    option(`${instance} ${ASKS}`, 'Other dates…'),
  );
  const period = menu(ACTIONS.chooseStatementDays, { options }, shown);
  const menus: ActionsBlock = { type: 'actions', elements: present(accounts.length > 1 && account, period) };
  return [
    menus,
    hasFigures && button(ACTIONS.showOutcomes, 'Outcomes by day', shown.chosen),
    hasFigures && button(ACTIONS.exportStatement, 'Export CSV', shown.chosen),
  ];
}

/** A statement of more days would take too long to make. */
export const MOST_STATEMENT_DAYS = 366;

export function statementDatesForm({ days, metadata }: { days: Days; metadata: string }): ModalView {
  return modal(VIEWS.statementDates, { title: TITLES.statement, submit: 'Show', metadata }, [
    field(FIELDS.fromDay, 'From', dayInput(isoDay(days.from), 'Choose'), { hint: 'Days are in UTC.' }),
    field(FIELDS.toDay, 'To', dayInput(isoDay(days.to), 'Choose')),
  ]);
}

export const DAYS_TO_COME = 'These days are still to come.';
export const TOO_MANY_DAYS = `Choose at most ${MOST_STATEMENT_DAYS} days.`;
