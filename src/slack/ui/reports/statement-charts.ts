import type { DayFigures, Statement } from '../../../core/accounts/statement.ts';
import type { Message, ShownMessage } from '../blocks.ts';
import { shortDay } from '../utc-days.ts';
import { present } from '../words.ts';
import { axisChart, type Figures, figureLines, figuresTable, MOST_CATEGORIES } from './charts.ts';

/** The charts come after the message's title and its table. */
const BEHIND = 2;

/** The figures behind a statement's charts. */
type Drawn = Pick<Statement, 'opening' | 'daily'>;

/**
 * The statement with its charts; `plainer` has a table instead. The text of both says the figures.
 * @param threshold of the channels that spend from the account; 0: none
 */
export function withStatementCharts(message: Message, statement: Drawn, threshold: number): ShownMessage {
  const { text, blocks } = message;
  const { balance, use, both } = statementFigures(statement, threshold);
  const put = (figures: Message['blocks']): Message => ({
    text: [text, ...figureLines(both)].join('\n'),
    blocks: blocks.toSpliced(BEHIND, 0, ...figures),
  });
  return {
    // Bars, since a line would show a top-up as if it came little by little.
    shown: put([axisChart('line', balance), axisChart('bar', use)]),
    plainer: put([figuresTable(both)]),
  };
}

/** The balance over time, with the threshold; the credits by day; and both together. Top-ups are there only if there were some. */
export function statementFigures({ opening, daily }: Drawn, threshold: number) {
  const spans = spansOf(daily);
  const by = 'Day (UTC)';
  const days = spans.map(({ name }) => name);
  const balance: Figures = {
    title: 'Balance over time',
    by,
    categories: ['Start', ...days],
    series: present(
      { name: 'Balance', values: [opening, ...spans.map((span) => span.balance)] },
      threshold > 0 && { name: 'Threshold', values: [threshold, ...spans.map(() => threshold)] },
    ),
  };
  const changes = present(
    { name: 'Credits used', values: spans.map((span) => span.used) },
    spans.some((span) => span.toppedUp > 0) && {
      name: 'Topped up',
      values: spans.map((span) => span.toppedUp),
    },
  );
  return {
    balance,
    use: { title: 'Credits by day', by, categories: days, series: changes },
    both: {
      ...balance,
      title: 'Balance and credits by day',
      series: [...balance.series, ...changes.map(({ name, values }) => ({ name, values: [0, ...values] }))],
    },
  };
}

/**
 * Groups days into spans, if a chart has no room for each day beside its start. A span shows the balance of its last
 * day.
 */
function spansOf(daily: readonly DayFigures[]) {
  return groupsOf(daily, MOST_CATEGORIES - 1).map((days) => ({
    name: nameOfDays(days),
    balance: days.at(-1)?.closing ?? 0,
    used: days.reduce((sum, { used }) => sum + used, 0),
    toppedUp: days.reduce((sum, { toppedUp }) => sum + toppedUp, 0),
  }));
}

/** Days in a row, in at most `most` groups. */
export function groupsOf<T>(days: readonly T[], most: number): T[][] {
  const length = Math.ceil(days.length / most);
  return Array.from({ length: Math.ceil(days.length / length) }, (_, i) =>
    days.slice(i * length, (i + 1) * length),
  );
}

/** `1 Nov`, `1 Nov – 3 Nov` */
export function nameOfDays(days: readonly { day: number }[]): string {
  const [first, last] = [days[0]?.day ?? 0, days.at(-1)?.day ?? 0];
  return first === last ? shortDay(first) : `${shortDay(first)} – ${shortDay(last)}`;
}
