import { expect, test } from 'vitest';
import { beginningOf, dateOf } from '../../../src/core/budgets/calendar.ts';

test.each([
  ['UTC', '2026-11-22', '2026-11-22T00:00:00Z'],
  ['Europe/Berlin', '2026-11-22', '2026-11-21T23:00:00Z'],
  // The clocks change in the night after the day, or before it.
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z'],
  ['America/New_York', '2026-11-02', '2026-11-02T05:00:00Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00Z'],
])('in %s %s begins at %s', (zone, day, begins) => {
  const at = beginningOf(Date.parse(day), zone);
  expect(new Date(at).toISOString()).toBe(begins.replace('Z', '.000Z'));
  expect(dateOf(at, zone)).toBe(day);
  expect(dateOf(at - 1, zone)).not.toBe(day);
});
