import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lastMonth, thisMonth } from '../../../src/core/accounts/periods.ts';
import { sharesBy, statementOf } from '../../../src/core/accounts/statement.ts';
import type { DailySpending } from '../../../src/ledger/accounts/statement-types.ts';
import { statementCsv } from '../../../src/slack/files/statement-files.ts';
import { linesOf } from '../../../src/slack/ui/reports/statement.ts';

const credits = fc.integer({ min: -5000, max: 5000 });
const aDifference = fc.record({
  kind: fc.constantFrom('unknown' as const, 'unclear' as const, 'elsewhere' as const, 'topped_up' as const),
  from: fc.nat(),
  to: fc.nat(),
  credits,
});
const aDay = fc.record({
  day: fc.nat(20_000),
  opening: credits,
  closing: credits,
  differences: fc.array(aDifference, { maxLength: 5 }),
});
const someBooks = fc.record({ opening: credits, closing: credits, days: fc.array(aDay, { maxLength: 4 }) });
const someSpending = fc.array(
  fc.record({
    team: fc.constantFrom('T1', 'T2'),
    channelId: fc.constantFrom('C1', 'C2'),
    by: fc.constantFrom('U1', 'U2', ''),
    day: fc.nat(20_000),
    credits: fc.nat(100),
    messages: fc.nat(100),
  }),
);
const DAYS = { from: 20_000, to: 20_010 };

test('the lines add up on the screen and in the file, even where the books have a gap', () => {
  fc.assert(
    fc.property(someBooks, someSpending, (books, spending) => {
      const statement = statementOf({ books, spending }, { team: 'T1', days: DAYS });
      const figures = linesOf(statement).map(([, figure]) =>
        Number(figure.replaceAll(',', '').replace('−', '-')),
      );
      const [closing, ...before] = figures.toReversed();
      expect(before.reduce((sum, one) => sum + one, 0)).toBe(closing);

      const rows = new TextDecoder().decode(statementCsv(statement)).trim().split('\r\n').slice(1);
      const inFile = rows.map((row) => Number(row.slice(row.lastIndexOf(',') + 1)));
      expect(inFile.slice(0, -1).reduce((sum, one) => sum + one, 0)).toBe(inFile.at(-1));
    }),
  );
});

test('outcomes are the workspace’s own, day by day, from the first day that counted all of them', () => {
  const others = { arrived: 1, notSent: 1, unknown: 0 };
  const at = (day: number, over: Partial<DailySpending> = {}) => ({
    ...{ team: 'T1', channelId: 'C1', by: 'U1', day, credits: 2, messages: 2, others },
    ...over,
  });
  const { others: _none, ...ofEarlierVersion } = at(20_002);
  const books = { opening: 100, closing: 90, days: [] };
  const spending = [
    at(20_001),
    at(20_002),
    { ...ofEarlierVersion, by: 'U2' },
    at(20_004, { others: { ...others, unknown: 2 } }),
    at(20_004, { channelId: 'C2', messages: 0, others: { arrived: 0, notSent: 4, unknown: 0 } }),
    at(20_004, { team: 'T2', messages: 1000 }),
  ];
  const days = { from: 20_000, to: 20_005 };
  expect(statementOf({ books, spending }, { team: 'T1', days }).outcomes).toEqual([
    { day: 20_003, sent: 0, notSent: 0, unknown: 0 },
    { day: 20_004, sent: 3, notSent: 5, unknown: 2 },
    { day: 20_005, sent: 0, notSent: 0, unknown: 0 },
  ]);
});

test('use by other workspaces is one line, without their channels and people', () => {
  const spending = [
    { team: 'T1', channelId: 'C1', by: 'U1', day: 20_001, credits: 1, messages: 1 },
    { team: 'T1', channelId: 'C2', by: 'U1', day: 20_001, credits: 4, messages: 1 },
    { team: 'T2', channelId: 'C-secret', by: 'U-secret', day: 20_002, credits: 5, messages: 5 },
    { team: 'T1', channelId: 'C1', by: 'U1', day: 20_003, credits: 2, messages: 1 },
  ];
  const books = { opening: 100, closing: 88, days: [] };
  const statement = statementOf({ books, spending }, { team: 'T1', days: DAYS });
  expect(statement).toMatchObject({ unexplained: 0, others: { credits: 5, messages: 5 } });
  expect(JSON.stringify(statement)).not.toContain('secret');
  expect(statement.shares).toMatchObject([{ channel: 'C1', credits: 3, messages: 2 }, { channel: 'C2' }]);
  expect(sharesBy(statement.shares, 'by')).toEqual([{ id: 'U1', credits: 7, messages: 3 }]);
  expect(sharesBy(statement.shares, 'channel').map(({ id }) => id)).toEqual(['C2', 'C1']);
});

test('months begin and end at midnight UTC', () => {
  const now = Date.UTC(2026, 0, 5, 9);
  const day = (month: number, date: number, year = 2026) => Date.UTC(year, month, date) / 86_400_000;
  expect(thisMonth(now)).toEqual({ from: day(0, 1), to: day(0, 5) });
  expect(lastMonth(now)).toEqual({ from: day(11, 1, 2025), to: day(11, 31, 2025) });
});
