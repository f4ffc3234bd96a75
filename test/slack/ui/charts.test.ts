import { describe, expect, test } from 'vitest';
import { dailyFigures } from '../../../src/core/accounts/statement.ts';
import type { Message } from '../../../src/slack/ui/blocks.ts';
import { jobCard } from '../../../src/slack/ui/lists/job-card.ts';
import { withOutcomes } from '../../../src/slack/ui/lists/job-figures.ts';
import { axisChart, type DataVisualizationBlock, pieChart } from '../../../src/slack/ui/reports/charts.ts';
import { statementMessage } from '../../../src/slack/ui/reports/statement.ts';
import { outcomesMessage, statementFigures } from '../../../src/slack/ui/reports/statement-charts.ts';
import { aJob } from './bulk-samples.ts';
import { AT, expectFine, NASTY, objectsIn } from './samples.ts';

const NOV_1 = Math.floor(Date.UTC(2026, 10, 1) / 86_400_000);
/** Days of 60 credits each, with a top-up of 1,000 on the third. */
function days(many: number) {
  let left = 1000;
  return Array.from({ length: many }, (_, i) => {
    const toppedUp = i === 2 ? 1000 : 0;
    left += toppedUp - 60;
    return { day: NOV_1 + i, closing: left, used: 60, toppedUp };
  });
}

const chartsIn = ({ blocks }: Message) =>
  [...objectsIn(blocks)].filter(
    ({ type }) => type === 'data_visualization',
  ) as unknown as DataVisualizationBlock[];
/** All numbers that a message's chart or table shows. */
const valuesIn = ({ blocks }: Message) =>
  [...objectsIn(blocks)].flatMap(({ value }) => (typeof value === 'number' ? [value] : [])).sort();

describe('outcomes by day', () => {
  const counted = (many: number) =>
    days(many).map(({ day }, i) => ({ day, sent: 100 + i, notSent: i, unknown: i % 2 }));
  const shownFor = (daily: number, outcomes: number) =>
    outcomesMessage('Acme', {
      days: { from: NOV_1, to: NOV_1 + daily - 1 },
      daily: days(daily),
      outcomes: counted(daily).slice(daily - outcomes),
    });

  test.each([1, 20, 31, 366])('of %i days are taken by Slack, and so is the table in their place', (many) => {
    const { shown, plainer } = shownFor(many, many);
    expect(chartsIn(shown).map(({ chart }) => chart.type)).toEqual(['bar']);
    expectFine(shown);
    expect(plainer && chartsIn(plainer)).toEqual([]);
    if (plainer) expectFine(plainer);
    expect(plainer?.text).toBe(shown.text);
    expect(plainer && valuesIn(plainer)).toEqual(valuesIn(shown));
  });

  test('say their totals, and since when they are counted if that is later', () => {
    const { shown } = shownFor(4, 2);
    expect(shown.text).toContain('\n205 sent · 5 not sent · 1 unknown\n');
    expect(shown.text).toContain('4 Nov: Sent 103, Not sent 3, Unknown 1');
    expect(shown.text).toContain('Counted since 3 Nov 2026.');
    expect(shown.text).not.toContain('2 Nov:');
    expect(shownFor(4, 4).shown.text).not.toContain('Counted since');
    expect(shownFor(4, 0).shown.text).toContain('No outcome was counted on these days.');
  });
});

describe('the charts of a statement', () => {
  function shownFor(many: number) {
    const shown = { from: NOV_1, to: NOV_1 + many - 1 };
    const figures = { opening: 1000, closing: 0, unknown: 0, elsewhere: 0, toppedUp: 0, unexplained: 0 };
    const none = { credits: 0, messages: 0 };
    const lists = { shares: [], differences: [], daily: days(many), outcomes: [] };
    const presets = { thisMonth: shown, lastMonth: shown };
    return statementMessage(
      { days: shown, ...figures, messages: none, others: none, ...lists },
      {
        choice: { instance: 'i1', days: shown, accounts: [], presets },
        userName: 'Acme',
        runway: undefined,
        threshold: 100,
      },
    );
  }

  test.each([1, 2, 19, 20, 31, 400])(
    'of %i days are taken by Slack, and so is the table in their place',
    (many) => {
      const { shown, plainer } = shownFor(many);
      expect(chartsIn(shown)).toHaveLength(2);
      expectFine(shown);
      expect(plainer && chartsIn(plainer)).toEqual([]);
      if (plainer) expectFine(plainer);
      expect(plainer?.text).toBe(shown.text);
    },
  );

  test('show balance and threshold over time, and credits by day; table and text say the same', () => {
    const { shown, plainer } = shownFor(4);
    expect(chartsIn(shown).map(({ title, chart }) => [title, chart.type])).toEqual([
      ['Balance over time', 'line'],
      ['Credits by day', 'bar'],
    ]);
    expect(shown.text).toContain('3 Nov: Balance 1,820, Threshold 100, Credits used 60, Topped up 1,000');
    expect(shown.text).toContain('Start: Balance 1,000, Threshold 100, Credits used 0, Topped up 0');
    // The table also has each series' figure at the start.
    expect(plainer && valuesIn(plainer)).toEqual([...valuesIn(shown), 0, 0].sort());
  });

  test('show a top-up as a bar on its day, never as a line that rises and falls', () => {
    const { balance, use } = statementFigures({ opening: 1000, daily: days(4) }, 100);
    expect(balance.series.map(({ name }) => name)).toEqual(['Balance', 'Threshold']);
    expect(use.series).toEqual([
      { name: 'Credits used', values: [60, 60, 60, 60] },
      { name: 'Topped up', values: [0, 0, 1000, 0] },
    ]);
  });

  test('leave out the threshold and top-ups if there are none', () => {
    const { balance, use } = statementFigures({ opening: 1000, daily: days(2) }, 0);
    expect(balance.series.map(({ name }) => name)).toEqual(['Balance']);
    expect(use.series.map(({ name }) => name)).toEqual(['Credits used']);
  });

  test('put days together if there are more than a chart takes: nothing is lost', () => {
    const daily = days(31);
    const { balance, use } = statementFigures({ opening: 1000, daily }, 0);
    expect(use.categories[0]).toBe('1 Nov – 2 Nov');
    expect(use.series[0]?.values.reduce((sum, one) => sum + one, 0)).toBe(31 * 60);
    expect(balance.series[0]?.values.at(-1)).toBe(daily.at(-1)?.closing);
    expect(use.series[1]?.values.reduce((sum, one) => sum + one, 0)).toBe(1000);
  });
});

test('a day’s figures come from the books: the credits used, by anybody, and the credits topped up', () => {
  const differences = [
    { kind: 'topped_up' as const, from: AT, to: AT, credits: 500 },
    { kind: 'elsewhere' as const, from: AT, to: AT, credits: -20 },
  ];
  const books = {
    since: NOV_1 * 86_400_000 + 1,
    opening: 1000,
    closing: 1370,
    days: [{ day: NOV_1 + 1, opening: 1000, closing: 1370, differences }],
  };
  expect(dailyFigures(books, { from: NOV_1 - 5, to: NOV_1 + 2 })).toEqual([
    { day: NOV_1, closing: 1000, used: 0, toppedUp: 0 },
    { day: NOV_1 + 1, closing: 1370, used: 130, toppedUp: 500 },
    { day: NOV_1 + 2, closing: 1370, used: 0, toppedUp: 0 },
  ]);
});

describe('a job that is over', () => {
  const over = (counts: Parameters<typeof aJob>[1]) => {
    const view = aJob({ state: 'finished' }, counts);
    return withOutcomes(jobCard(view, { now: AT }), view);
  };

  test('draws its outcomes if there are several; its card has the figures in any case', () => {
    const { shown, plainer } = over({ sent: 4000, rejected: 200, unknown: 13 });
    expect(chartsIn(shown)).toMatchObject([
      {
        title: 'Outcomes',
        chart: { type: 'pie', segments: [{ value: 4000 }, { value: 200 }, { value: 13 }] },
      },
    ]);
    expectFine(shown);
    expect(plainer && chartsIn(plainer)).toEqual([]);
    expect(plainer?.text).toMatch(/Sent: 4,000/);
  });

  test('has no chart if its texts all ended alike, or if it is under way', () => {
    expect(chartsIn(over({ sent: 4213 }).shown)).toEqual([]);
    const running = aJob({ state: 'running' }, { sent: 10, rejected: 3, left: 4200 });
    expect(chartsIn(withOutcomes(jobCard(running, { now: AT }), running).shown)).toEqual([]);
  });
});

test.each(Object.entries(NASTY))('labels of %s fit', (_name, nasty) => {
  const name = `${nasty}x`;
  const pie = pieChart(name, [
    { name: `1${nasty}`, value: 1 },
    { name: '2', value: 2 },
  ]);
  const line = axisChart('line', {
    title: name,
    categories: [name],
    series: [{ name, values: [1] }],
  });
  expectFine({ text: 'x', blocks: [...(pie ? [pie] : []), line] });
});
