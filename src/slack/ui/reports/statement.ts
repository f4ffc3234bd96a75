import type { ActionsBlock, KnownBlock, StaticSelect } from '@slack/types';
import { dayOf } from '../../../core/accounts/periods.ts';
import type { Runway } from '../../../core/accounts/runway.ts';
import {
  type BalanceDifference,
  type Days,
  type Share,
  type Statement,
  sharesBy,
} from '../../../core/accounts/statement.ts';
import { button, buttons, context, type Message, message, plain, section, table } from '../blocks.ts';
import { ACTIONS } from '../ids.ts';
import { option } from '../modal.ts';
import { oneLine, quoted } from '../safe-text.ts';
import { daysWords, longDay, shortDay, utcTime } from '../utc-days.ts';
import { capitalised, count, credits, mention, plural } from '../words.ts';
import { runwayWords } from './runway.ts';
import { outcomesLine } from './statement-outcomes.ts';

/** How many channels, people and balance reads are named. The CSV has all of them. */
const MOST_NAMED = 10;
const MOST_READS = 5;
/** Accounts that can be chosen, and how much of their names is shown: a message has little room. */
const MOST_ACCOUNTS = 25;
const ACCOUNT_NAME_MAX = 40;

/** Which statement is shown, and which others there are. An account is named by one of its instances. */
export interface StatementChoice {
  instance: string;
  days: Days;
  /** One instance of each account, with the names of the account and of its instances. */
  accounts: { instance: string; userName: string; names: string[] }[];
  presets: { thisMonth: Days; lastMonth: Days };
}

/** The value of a button or option that shows or exports these days. */
export function writeStatementValue({ instance, days }: Pick<StatementChoice, 'instance' | 'days'>): string {
  return [instance, days.from, days.to].join(' ');
}

/** Reads it. `days` is undefined where the value names none: this month, or the form that asks for them. */
export function readStatementValue(value: string): { instance: string; days?: Days; asks: boolean } {
  const [instance = '', from = '', to = ''] = value.split(' ');
  const days = { from: Number(from), to: Number(to) };
  const isGiven = /^\d{1,6}$/.test(from) && /^\d{1,6}$/.test(to) && days.from <= days.to;
  return { instance, ...(isGiven ? { days } : {}), asks: from === ASKS };
}

const ASKS = 'dates';

/** Where an account's credits went: every line, and what they add up to. */
export function statementMessage(
  statement: Statement,
  { choice, userName, runway }: { choice: StatementChoice; userName: string; runway: Runway | undefined },
): Message {
  const title = titleOf(userName, statement.days);
  const lines = linesOf(statement);
  const notes = notesOf(statement, runway);
  const details = [
    named('By channel', statement.shares, 'channel', (id) => `<#${id}>`),
    named('By person', statement.shares, 'by', (id) => (id === '' ? 'somebody' : mention(id))),
    outcomesLine(statement),
    readsOf(statement.differences),
  ].filter((words) => words !== undefined);
  return {
    text: [title, ...lines.map(([name, figure]) => `${name}: ${figure}`), ...details, ...notes].join('\n'),
    blocks: [
      section(title),
      table(['Line', 'Credits'], lines, ['Credits']),
      ...details.map((words) => section(words)),
      context(notes.join('\n')),
      ...choices(choice),
    ],
  };
}

/** There is no statement for these days. */
export function noStatement(
  found: { since: number } | undefined,
  { choice, userName }: { choice: StatementChoice; userName: string },
): Message {
  const why = found
    ? `The books of this account begin on ${longDay(dayOf(found.since))} at ${utcTime(found.since)} UTC. Choose later days.`
    : 'The books begin with the first balance read while nothing is being sent. `/sms balance` makes one.';
  return message(`${titleOf(userName, choice.days)}\n${why}`, ...choices(choice));
}

/** No instance is there whose account could be shown. */
export function noAccounts(): Message {
  return message('There is no account yet. An admin can link a channel with `/sms link`.');
}

/** The file is in the admin's direct messages, or is not. */
export function exportedMessage(isDelivered: boolean): Message {
  return message(
    isDelivered
      ? '✅ The statement is in your direct messages, as a CSV file with a picture.'
      : '⚠️ Slack did not take the file. Please press *Export CSV* again in a moment.',
  );
}

/** The comment on the files of a statement. */
export function statementComment(userName: string, days: Days): string {
  return titleOf(userName, days);
}

function titleOf(userName: string, days: Days): string {
  return `*Statement* of account ${quoted(userName)} · ${daysWords(days)}`;
}

/** The lines that add up: opening, what changed, closing. */
export function linesOf(statement: Statement): [string, string][] {
  const { days, since, opening, closing, messages, others, unknown, elsewhere, toppedUp, unexplained } =
    statement;
  const start = since === undefined ? shortDay(days.from) : `${shortDay(dayOf(since))}, ${utcTime(since)}`;
  const own = { credits: messages.credits - others.credits, messages: messages.messages - others.messages };
  return [
    [`Opening balance (${start})`, count(opening)],
    [`Used by ${plural(own.messages, 'message')}`, signed(-own.credits)],
    ...(others.messages > 0 || others.credits > 0
      ? ([['Used by messages of other workspaces', signed(-others.credits)]] satisfies [string, string][])
      : []),
    ['Used by unknown messages, by their evidence', signed(unknown)],
    ['Used elsewhere, not by this bot', signed(elsewhere)],
    ['Topped up', signed(toppedUp)],
    ...(unexplained === 0 ? [] : ([[UNEXPLAINED, signed(unexplained)]] satisfies [string, string][])),
    [`Closing balance (${shortDay(days.to)})`, count(closing)],
  ];
}

export const UNEXPLAINED = 'Not explained: unknown messages without clear evidence, or use elsewhere';

/** `−1,240`, `+500`, `0` */
function signed(figure: number): string {
  if (figure === 0) return '0';
  return `${figure < 0 ? '−' : '+'}${count(Math.abs(figure))}`;
}

function notesOf({ since }: Statement, runway: Runway | undefined): string[] {
  return [
    ...(since === undefined
      ? []
      : [
          `The books begin on ${longDay(dayOf(since))} at ${utcTime(since)} UTC, with the first balance read.`,
        ]),
    'Days and times are in UTC. Between two balance reads only the difference shows.',
    ...(runway ? [`${capitalised(runwayWords(runway))}.`] : []),
  ];
}

function named(
  title: string,
  shares: readonly Share[],
  what: 'channel' | 'by',
  nameOf: (id: string) => string,
): string | undefined {
  const all = sharesBy(shares, what);
  if (all.length === 0) return undefined;
  const more = all.slice(MOST_NAMED);
  const rest = more.reduce((sum, one) => sum + one.credits, 0);
  return [
    `*${title}*`,
    ...all
      .slice(0, MOST_NAMED)
      .map((one) => `${nameOf(one.id)} · ${credits(one.credits)} · ${plural(one.messages, 'message')}`),
    ...(more.length > 0 ? [`and ${count(more.length)} more · ${credits(rest)}`] : []),
  ].join('\n');
}

/** What balance reads found, the newest first. */
function readsOf(differences: readonly BalanceDifference[]): string | undefined {
  if (differences.length === 0) return undefined;
  const more = differences.length - MOST_READS;
  return [
    '*Balance reads*',
    ...differences.slice(-MOST_READS).reverse().map(differenceWords),
    ...(more > 0 ? [`and ${count(more)} more, in the CSV`] : []),
  ].join('\n');
}

/** `1,240 credits used on 12 Nov between 14:00 and 15:00, not by this bot` */
function differenceWords({ kind, from, to, credits: figure }: BalanceDifference): string {
  const amount = credits(Math.abs(figure));
  const span = spanWords(from, to);
  if (figure > 0 && kind !== 'topped_up') return `A later answer moved ${amount} to another line ${span}`;
  switch (kind) {
    case 'elsewhere':
      return `${amount} used ${span}, not by this bot`;
    case 'topped_up':
      return `${amount} came in ${span}`;
    case 'unknown':
      return `${amount} used ${span}, probably for unknown messages`;
    case 'unclear':
      return `${amount} used ${span}, for unknown messages or elsewhere`;
  }
}

function spanWords(from: number, to: number): string {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first === last && utcTime(from) === utcTime(to)) return `on ${shortDay(last)} at ${utcTime(to)}`;
  return first === last
    ? `on ${shortDay(first)} between ${utcTime(from)} and ${utcTime(to)}`
    : `between ${shortDay(first)}, ${utcTime(from)} and ${shortDay(last)}, ${utcTime(to)}`;
}

/** Other accounts, other days, and the file. */
function choices(choice: StatementChoice): KnownBlock[] {
  const { instance, days, accounts, presets } = choice;
  const choiceValue = (which: Partial<typeof choice>) => writeStatementValue({ instance, days, ...which });
  const account = menu(
    ACTIONS.chooseStatementAccount,
    accounts
      .slice(0, MOST_ACCOUNTS)
      .map((one) => option(choiceValue({ instance: one.instance }), accountWords(one))),
    choiceValue({}),
  );
  const periods = [
    option(choiceValue({ days: presets.thisMonth }), 'This month'),
    option(choiceValue({ days: presets.lastMonth }), 'Last month'),
  ];
  const isPreset = periods.some(({ value }) => value === choiceValue({}));
  const period = menu(
    ACTIONS.chooseStatementDays,
    [
      ...periods,
      ...(isPreset ? [] : [option(choiceValue({}), daysWords(days))]),
      option(`${instance} ${ASKS}`, 'Other dates…'),
    ],
    choiceValue({}),
  );
  const menus: ActionsBlock = {
    type: 'actions',
    elements: [...(accounts.length > 1 ? [account] : []), period],
  };
  return [
    menus,
    buttons(
      button(ACTIONS.showOutcomes, 'Outcomes by day', choiceValue({})),
      button(ACTIONS.exportStatement, 'Export CSV', choiceValue({})),
    ),
  ];
}

function accountWords({ userName, names }: StatementChoice['accounts'][number]): string {
  return oneLine(`${userName} (${names.join(', ')})`, ACCOUNT_NAME_MAX);
}

function menu(action: string, options: StaticSelect['options'], chosen: string): StaticSelect {
  const initial = options?.find(({ value }) => value === chosen);
  return {
    type: 'static_select',
    action_id: action,
    ...(options && { options }),
    ...(initial ? { initial_option: initial } : { placeholder: plain('Choose') }),
  };
}
