import type { KnownBlock } from '@slack/types';
import type { Statement } from '../../../core/accounts/statement.ts';
import { joined, message, type ShownMessage, small } from '../blocks.ts';
import { quoted } from '../safe-text.ts';
import { daysWords, longDay, shortDay } from '../utc-days.ts';
import { count, inGroups, inLines, present } from '../words.ts';
import { axisChart, type Figures, figureLines, figuresTable, MOST_CATEGORIES } from './charts.ts';

/** The balance over time, with the threshold; the credits by day; and both together. Without a top-up, none is shown. */
export function statementFigures(
  { opening, daily }: Pick<Statement, 'opening' | 'daily'>,
  threshold: number,
) {
  // A chart may have no room for each day beside its start. A group of days shows the balance of its last day.
  const spans = groupsOf(daily, MOST_CATEGORIES - 1);
  const balances = [opening, ...spans.map((days) => days.at(-1)?.closing ?? 0)];
  const toppedUp = sums(spans, (day) => day.toppedUp);
  const days = spans.map(nameOfDays);
  const balance: Figures = {
    title: 'Balance over time',
    categories: ['Start', ...days],
    series: present(
      { name: 'Balance', values: balances },
      threshold > 0 && { name: 'Threshold', values: balances.map(() => threshold) },
    ),
  };
  const use: Figures = {
    title: 'Credits by day',
    categories: days,
    series: present(
      { name: 'Credits used', values: sums(spans, (day) => day.used) },
      toppedUp.some((credits) => credits > 0) && { name: 'Topped up', values: toppedUp },
    ),
  };
  const series = [...balance.series, ...withStart(use.series)];
  return { balance, use, both: { ...balance, title: 'Balance and credits by day', series } };
}

/** The same figures for a table that begins with a line for the start. */
function withStart(series: Figures['series']): Figures['series'] {
  return series.map(({ name, values }) => ({ name, values: [0, ...values] }));
}

function sums<Day>(spans: readonly (readonly Day[])[], of: (day: Day) => number): number[] {
  return spans.map((days) => days.reduce((sum, day) => sum + of(day), 0));
}

/** Days in a row, in at most `most` groups. */
function groupsOf<T>(days: readonly T[], most: number): T[][] {
  return inGroups(days, Math.ceil(days.length / most));
}

/** `1 Nov`, `1 Nov – 3 Nov` */
function nameOfDays(days: readonly { day: number }[]): string {
  const [first, last] = [days[0]?.day ?? 0, days.at(-1)?.day ?? 0];
  return first === last ? shortDay(first) : `${shortDay(first)} – ${shortDay(last)}`;
}

type Counted = Pick<Statement, 'daily' | 'outcomes'>;

/** The outcomes of a statement's texts, day by day. A message of its own, since Slack takes two charts a message. */
export function outcomesMessage(
  userName: string,
  statement: Counted & Pick<Statement, 'days'>,
): ShownMessage {
  const title = `*Outcomes by day* of account ${quoted(userName)} · ${daysWords(statement.days)}`;
  const { outcomes } = statement;
  const total = totalWords(outcomes);
  if (total === undefined) return { shown: message(`${title}\nNo outcome was counted on these days.`) };
  const figures = outcomeFigures(outcomes);
  const notes = inLines(
    sinceWords(statement),
    'We count a text on the day we learn its outcome.',
    'A text that somebody marked as arrived counts as sent.',
  );
  const lines = figureLines(figures).slice(1).join('\n');
  const put = (days: KnownBlock) =>
    joined(`${title}\n${total}`, { text: lines, blocks: [days] }, small(notes));
  return { shown: put(axisChart('bar', figures)), plainer: put(figuresTable(figures)) };
}

/** `*Outcomes* · 1,204 sent · 12 not sent · 3 unknown`; undefined if there are none. */
export function outcomesLine(statement: Counted): string | undefined {
  const total = totalWords(statement.outcomes);
  return total && inLines(`*Outcomes* · ${total}`, sinceWords(statement));
}

function totalWords(outcomes: Statement['outcomes']): string | undefined {
  const [sent = 0, notSent = 0, unknown = 0] = figuresOf([outcomes]).map(({ values }) => values[0]);
  if (sent + notSent + unknown === 0) return undefined;
  return `${count(sent)} sent · ${count(notSent)} not sent · ${count(unknown)} unknown`;
}

/** Columns for a table that begins with a line for the start; none if some days have no counts. */
export function outcomeColumns({ daily, outcomes }: Counted): Figures['series'] {
  return outcomes.length < daily.length ? [] : withStart(outcomeFigures(outcomes).series);
}

/** There must be at least one day. */
function outcomeFigures(outcomes: Statement['outcomes']): Figures {
  const spans = groupsOf(outcomes, MOST_CATEGORIES);
  return {
    title: 'Outcomes by day',
    categories: spans.map(nameOfDays),
    series: figuresOf(spans),
  };
}

function figuresOf(spans: readonly Statement['outcomes'][]) {
  return [
    { name: 'Sent', values: sums(spans, (day) => day.sent) },
    { name: 'Not sent', values: sums(spans, (day) => day.notSent) },
    { name: 'Unknown', values: sums(spans, (day) => day.unknown) },
  ];
}

/** Since when the bot counts outcomes; undefined if all days have counts. */
function sinceWords({ outcomes, daily }: Counted): string | undefined {
  const [first] = outcomes;
  return first && outcomes.length < daily.length ? `Counted since ${longDay(first.day)}.` : undefined;
}
