import type { DayFigures, Statement } from '../../../core/accounts/statement.ts';
import type { Message, ShownMessage } from '../blocks.ts';
import { shortDay } from '../utc-days.ts';
import { present } from '../words.ts';
import { axisChart, type Figures, figureLines, figuresTable, MOST_CATEGORIES } from './charts.ts';

/** Days in a row that share one point, since a chart has no room for each day. */
interface Span {
  name: string;
  balance: number;
  used: number;
  toppedUp: number;
}

/** The charts come after the message's title and its table. */
const BEHIND = 2;
/** The moment at which a statement begins. */
const START = 'Start';
const TOPPED_UP = 'Topped up';

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
    shown: put([axisChart('line', balance), axisChart('bar', use)]),
    plainer: put([figuresTable(both)]),
  };
}

/** What a statement's charts and pictures show. */
interface StatementFigures {
  /** With the threshold. */
  balance: Figures;
  /** Credits used, and topped up: bars, since a line would show a top-up as if it came little by little. */
  use: Figures;
  /** All in one table. */
  both: Figures;
}

/** The balance over time; the credits by day; and both together. Top-ups are there only if there were some. */
export function statementFigures({ opening, daily }: Drawn, threshold: number): StatementFigures {
  const spans = spansOf(daily);
  const by = 'Day (UTC)';
  const days = spans.map(({ name }) => name);
  const balance: Figures = {
    title: 'Balance over time',
    by,
    categories: [START, ...days],
    series: present(
      { name: 'Balance', values: [opening, ...spans.map((span) => span.balance)] },
      threshold > 0 && { name: 'Threshold', values: [threshold, ...spans.map(() => threshold)] },
    ),
  };
  const changes = present(
    { name: 'Credits used', values: spans.map((span) => span.used) },
    spans.some((span) => span.toppedUp > 0) && {
      name: TOPPED_UP,
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
function spansOf(daily: readonly DayFigures[]): Span[] {
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
