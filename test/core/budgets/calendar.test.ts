import { describe, expect, test } from 'vitest';
import { calendarOf, canonicalTimeZone } from '../../../src/core/budgets/calendar.ts';

const at = (iso: string) => Date.parse(iso);
const renewals = (now: string, zone: string) => {
  const { month, day } = calendarOf(at(now), zone);
  return [month.name, new Date(month.renewsAt).toISOString(), day.name, new Date(day.renewsAt).toISOString()];
};

describe('months and days of a time zone', () => {
  test.each([
    [
      'UTC',
      '2026-11-22T12:00:00Z',
      '2026-11',
      '2026-12-01T00:00:00.000Z',
      '2026-11-22',
      '2026-11-23T00:00:00.000Z',
    ],
    [
      'UTC',
      '2026-12-31T23:59:59.999Z',
      '2026-12',
      '2027-01-01T00:00:00.000Z',
      '2026-12-31',
      '2027-01-01T00:00:00.000Z',
    ],
    // Ahead of UTC, the next month has begun; behind UTC, the old month goes on.
    [
      'Asia/Tokyo',
      '2026-11-30T15:00:00Z',
      '2026-12',
      '2026-12-31T15:00:00.000Z',
      '2026-12-01',
      '2026-12-01T15:00:00.000Z',
    ],
    [
      'America/New_York',
      '2026-12-01T04:59:59Z',
      '2026-11',
      '2026-12-01T05:00:00.000Z',
      '2026-11-30',
      '2026-12-01T05:00:00.000Z',
    ],
    [
      'Pacific/Kiritimati',
      '2026-02-28T10:00:00Z',
      '2026-03',
      '2026-03-31T10:00:00.000Z',
      '2026-03-01',
      '2026-03-01T10:00:00.000Z',
    ],
    [
      'Asia/Kathmandu',
      '2026-11-22T18:14:59Z',
      '2026-11',
      '2026-11-30T18:15:00.000Z',
      '2026-11-22',
      '2026-11-22T18:15:00.000Z',
    ],
  ])('%s at %s', (zone, now, ...expected) => {
    expect(renewals(now, zone)).toEqual(expected);
  });

  test('a day on which clocks change is as long as it is', () => {
    expect(renewals('2026-03-29T12:00:00Z', 'Europe/London')).toEqual([
      ...['2026-03', '2026-03-31T23:00:00.000Z', '2026-03-29', '2026-03-29T23:00:00.000Z'],
    ]);
    expect(renewals('2026-10-25T12:00:00Z', 'Europe/London')[3]).toBe('2026-10-26T00:00:00.000Z');
  });

  test('if clocks skip midnight, the day begins later', () => {
    // On 6 September 2026 Chile has no hour between 00:00 and 01:00.
    expect(renewals('2026-09-05T12:00:00Z', 'America/Santiago')[3]).toBe('2026-09-06T04:00:00.000Z');
  });

  test('it begins the next period at the moment at which the old one ends, over years and zones', () => {
    for (const zone of ['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Africa/Cairo']) {
      for (let now = at('2026-01-01T12:00:00Z'); now < at('2028-01-01T00:00:00Z'); now += 9 * 86_400_000) {
        const { month, day } = calendarOf(now, zone);
        for (const [{ name, renewsAt }, which] of [
          [month, 'month'],
          [day, 'day'],
        ] as const) {
          expect(renewsAt).toBeGreaterThan(now);
          expect(calendarOf(renewsAt - 1, zone)[which].name).toBe(name);
          expect(calendarOf(renewsAt, zone)[which].name).not.toBe(name);
        }
      }
    }
  });

  test('knows which zones there are, however their names are written', () => {
    const zones = ['Europe/London', 'europe/berlin', 'UTC', 'Mars/Base', '', 'London Time'];
    expect(zones.map(canonicalTimeZone)).toEqual([
      ...['Europe/London', 'Europe/Berlin', 'UTC', undefined, undefined, undefined],
    ]);
  });
});
