import type { KnownBlock } from '@slack/types';
import { dayOf } from '../../../core/accounts/periods.ts';
import type { Runway } from '../../../core/accounts/runway.ts';
import type { Days, DifferenceKind, Statement } from '../../../core/accounts/statement.ts';
import { figuresInTable, joined, known, type Message, message, type ShownMessage, small } from '../blocks.ts';
import { quoted } from '../safe-text.ts';
import { daysWords, longDay, shortDay, utcTime } from '../utc-days.ts';
import { capitalised, count, inLines, plural, runwayWords } from '../words.ts';
import { axisChart, figureLines, figuresTable } from './charts.ts';
import { statementFigures } from './statement-charts.ts';
import { type StatementChoice, statementChoices } from './statement-choices.ts';
import { statementDetails } from './statement-details.ts';

/**
 * Where an account's credits went: lines that add up to the closing balance, and charts; `plainer` has a table instead.
 * `threshold`: the highest of the channels that spend from the account; 0: none.
 */
export function statementMessage(
  statement: Statement,
  facts: { choice: StatementChoice; userName: string; runway: Runway | undefined; threshold: number },
): ShownMessage {
  const { choice, userName, runway, threshold } = facts;
  const { since } = statement;
  const { balance, use, both } = statementFigures(statement, threshold);
  const withFigures = (...figures: KnownBlock[]) =>
    joined(
      statementTitle(userName, statement.days),
      figuresInTable(['Line', 'Credits'], linesOf(statement)),
      ...figures,
      ...statementDetails(statement),
      small(
        inLines(
          since !== undefined &&
            `Our records begin on ${longDay(dayOf(since))} at ${utcTime(since)} UTC, with the first balance read.`,
          'Days and times are in UTC. Between two balance reads we know only the difference.',
          runway && `${capitalised(runwayWords(runway))}.`,
        ),
      ),
      ...statementChoices(choice, { hasFigures: true }),
      { text: figureLines(both).join('\n'), blocks: [] },
    );
  return {
    // Bars, since a line would show a top-up as if it came little by little.
    shown: withFigures(axisChart('line', balance), axisChart('bar', use)),
    plainer: withFigures(figuresTable(both)),
  };
}

export function noStatement(
  found: { since: number } | undefined,
  { choice, userName }: { choice: StatementChoice; userName: string },
): Message {
  const why = found
    ? `Our records of this account begin on ${longDay(dayOf(found.since))} at ${utcTime(found.since)} UTC. Choose later days.`
    : 'Our records of this account begin when the balance is first read while nothing is being sent.\nType `/sms balance` to read it.';
  return message(
    `${statementTitle(userName, choice.days)}\n${why}`,
    ...statementChoices(choice, { hasFigures: false }),
  );
}

export const NO_ACCOUNTS = message('There is no account yet. An admin can link a channel with `/sms link`.');

/** Says whether the file and its picture reached the admin's direct messages. */
export function exportedMessage(file: 'delivered' | 'failed', picture: 'delivered' | 'failed'): Message {
  if (file === 'failed')
    return message('⚠️ Slack did not take the file. Please press *Export CSV* again in a moment.');
  const there = '✅ The statement is in your direct messages, as a CSV file';
  return message(
    picture === 'delivered' ? `${there} with a picture.` : `${there}.\nSlack did not take its picture.`,
  );
}

/** `*Statement* of account “Acme Ltd” · November 2026`: over the message, and beside its files. */
export function statementTitle(userName: string, days: Days): string {
  return `*Statement* of account ${quoted(userName)} · ${daysWords(days)}`;
}

/** The lines that add up: the opening balance, each change, the closing balance. */
export function linesOf(statement: Statement): [name: string, figure: string][] {
  const { days, since, opening, closing, messages, others, unknown, elsewhere, toppedUp, unexplained } =
    statement;
  const start = since === undefined ? shortDay(days.from) : `${shortDay(dayOf(since))}, ${utcTime(since)}`;
  const own = { credits: messages.credits - others.credits, messages: messages.messages - others.messages };
  const hasOthers = others.messages > 0 || others.credits > 0;
  return known([
    [`Opening balance (${start})`, count(opening)],
    [`Used by ${plural(own.messages, 'message')}`, signed(-own.credits)],
    ['Used by messages of other workspaces', hasOthers && signed(-others.credits)],
    ['Used by unknown messages (our estimate)', signed(unknown)],
    ['Used elsewhere, not by this bot', signed(elsewhere)],
    ['Topped up', signed(toppedUp)],
    ['Not explained: unknown messages or use elsewhere', unexplained !== 0 && signed(unexplained)],
    [`Closing balance (${shortDay(days.to)})`, count(closing)],
  ]);
}

/** `−1,240`, `+500`, `0` */
function signed(figure: number): string {
  if (figure === 0) return '0';
  return `${figure < 0 ? '−' : '+'}${count(Math.abs(figure))}`;
}

/** The words in a statement's file: plain text, for spreadsheets. */

export const STATEMENT_FILE = 'statement.csv';

/** The columns, in order. */
export const STATEMENT_COLUMNS = {
  line: 'line',
  channel: 'channel id',
  person: 'person id',
  messages: 'messages',
  from: 'from (UTC)',
  to: 'to (UTC)',
  credits: 'credits',
};

export const STATEMENT_LINES = {
  opening: 'opening balance',
  messages: 'used by messages',
  others: 'used by messages of other workspaces',
  unexplained: 'not explained',
  closing: 'closing balance',
} as const;

export const DIFFERENCE_NAMES: { [kind in DifferenceKind]: string } = {
  unknown: 'probably used by unknown messages',
  unclear: 'not explained: unknown messages or use elsewhere',
  elsewhere: 'used elsewhere',
  topped_up: 'topped up',
};

export const PICTURE_FILE = 'balance.png';
