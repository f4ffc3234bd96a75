import type { KnownBlock } from '@slack/types';
import type { OutcomeFigures, Statement } from '../../../core/accounts/statement.ts';
import { joined, message, type ShownMessage, small } from '../blocks.ts';
import { quoted } from '../safe-text.ts';
import { daysWords, longDay } from '../utc-days.ts';
import { count, inLines } from '../words.ts';
import { axisChart, type Figures, figureLines, figuresTable, MOST_CATEGORIES } from './charts.ts';
import { groupsOf, nameOfDays } from './statement-charts.ts';

type Counted = Pick<Statement, 'daily' | 'outcomes'>;

const NOTE =
  'A text counts on the day its outcome became known. A text that somebody marked as arrived counts as sent.';

/** What became of the texts of a statement, day by day: a message of its own, since two charts are the most in one. */
export function outcomesMessage(
  userName: string,
  statement: Counted & Pick<Statement, 'days'>,
): ShownMessage {
  const title = `*Outcomes by day* of account ${quoted(userName)} · ${daysWords(statement.days)}`;
  const { outcomes } = statement;
  const total = totalWords(outcomes);
  if (total === undefined) return { shown: message(`${title}\nNo outcome was counted on these days.`) };
  const figures = outcomeFigures(outcomes);
  const notes = inLines(sinceWords(statement), NOTE);
  const lines = figureLines(figures).slice(1).join('\n');
  const put = (days: KnownBlock) =>
    joined(message(`${title}\n${total}`), { text: lines, blocks: [days] }, small(notes));
  return { shown: put(axisChart('bar', figures)), plainer: put(figuresTable(figures)) };
}

/** `*Outcomes* · 1,204 sent · 12 not sent · 3 unknown`; undefined if there are none. */
export function outcomesLine(statement: Counted): string | undefined {
  const total = totalWords(statement.outcomes);
  return total && inLines(`*Outcomes* · ${total}`, sinceWords(statement));
}

function totalWords(outcomes: readonly OutcomeFigures[]): string | undefined {
  const total = (of: (day: OutcomeFigures) => number) => outcomes.reduce((sum, day) => sum + of(day), 0);
  const sent = total((day) => day.sent);
  const notSent = total((day) => day.notSent);
  const unknown = total((day) => day.unknown);
  if (sent + notSent + unknown === 0) return undefined;
  return `${count(sent)} sent · ${count(notSent)} not sent · ${count(unknown)} unknown`;
}

/** Columns for a table whose first line is the start; none where an earlier version counted some of the days. */
export function outcomeColumns({ daily, outcomes }: Counted): Figures['series'] {
  if (outcomes.length < daily.length) return [];
  return outcomeFigures(outcomes).series.map(({ name, values }) => ({ name, values: [0, ...values] }));
}

/** There must be at least one day. */
function outcomeFigures(outcomes: readonly OutcomeFigures[]): Figures {
  const spans = groupsOf(outcomes, MOST_CATEGORIES);
  const values = (of: (day: OutcomeFigures) => number) =>
    spans.map((days) => days.reduce((sum, day) => sum + of(day), 0));
  return {
    title: 'Outcomes by day',
    by: 'Day (UTC)',
    categories: spans.map(nameOfDays),
    series: [
      { name: 'Sent', values: values(({ sent }) => sent) },
      { name: 'Not sent', values: values(({ notSent }) => notSent) },
      { name: 'Unknown', values: values(({ unknown }) => unknown) },
    ],
  };
}

/** From which day on outcomes are counted, where an earlier version counted before. */
function sinceWords({ outcomes, daily }: Counted): string | undefined {
  const [first] = outcomes;
  return first && outcomes.length < daily.length ? `Counted since ${longDay(first.day)}.` : undefined;
}
