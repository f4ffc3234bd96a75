import { dayOf } from '../../../core/accounts/periods.ts';
import { type BalanceDifference, type Statement, sharesBy } from '../../../core/accounts/statement.ts';
import { shortDay, utcTime } from '../utc-days.ts';
import { count, credits, inLines, mention, plural } from '../words.ts';
import { outcomesLine } from './statement-charts.ts';

/** The most channels, people and balance reads that the message names. The CSV has all of them. */
const MOST_NAMED = 10;
const MOST_READS = 5;

/** Below a statement's lines, a paragraph each: channels, people, outcomes and balance reads. */
export function statementDetails(statement: Statement): (string | undefined)[] {
  const { shares, differences } = statement;
  return [
    sharesLines('By channel', shares, 'channel', (id) => `<#${id}>`),
    sharesLines('By person', shares, 'by', (id) => (id === '' ? 'person not known' : mention(id))),
    outcomesLine(statement),
    readsOf(differences),
  ];
}

function sharesLines(
  title: string,
  shares: Statement['shares'],
  what: 'channel' | 'by',
  nameOf: (id: string) => string,
): string | undefined {
  const all = sharesBy(shares, what);
  if (all.length === 0) return undefined;
  const more = all.slice(MOST_NAMED);
  const rest = more.reduce((sum, one) => sum + one.credits, 0);
  return inLines(
    `*${title}*`,
    ...all
      .slice(0, MOST_NAMED)
      .map((one) => `${nameOf(one.id)} · ${credits(one.credits)} · ${plural(one.messages, 'message')}`),
    more.length > 0 && `and ${count(more.length)} more · ${credits(rest)}`,
  );
}

/** The differences that balance reads found, the newest first. */
function readsOf(differences: readonly BalanceDifference[]): string | undefined {
  if (differences.length === 0) return undefined;
  const more = differences.length - MOST_READS;
  return inLines(
    '*Balance reads*',
    ...differences.slice(-MOST_READS).reverse().map(differenceWords),
    more > 0 && `and ${count(more)} more, in the CSV`,
  );
}

/** `1,240 credits used on 12 Nov between 14:00 and 15:00, not by this bot` */
function differenceWords({ kind, from, to, credits: figure }: BalanceDifference): string {
  const amount = credits(Math.abs(figure));
  const span = spanWords(from, to);
  // A late answer takes an earlier difference back.
  if (figure > 0 && kind !== 'topped_up') return `${amount} ${span}: moved to another line by a late answer`;
  switch (kind) {
    case 'elsewhere':
      return `${amount} used ${span}, not by this bot`;
    case 'topped_up':
      return `${amount} topped up ${span}`;
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
