import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStartGate } from '../../src/sms/start-gate.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const aGate = () => createStartGate(performance.now() + 1000);

test('one attempt may start, and no other', () => {
  const gate = aGate();
  vi.advanceTimersByTime(999);
  expect([gate.isTaken(), gate.claim(), gate.isTaken(), gate.claim()]).toEqual([false, true, true, false]);
});

test('no attempt starts when it is too late', () => {
  const gate = aGate();
  vi.advanceTimersByTime(1000);
  expect([gate.claim(), gate.isTaken()]).toEqual([false, false]);
});

test('too late by the wall clock alone: the machine slept', () => {
  const gate = aGate();
  vi.setSystemTime(Date.now() + 1000);
  expect(gate.claim()).toBe(false);
});

test('too late by the monotonic clock alone: somebody set the wall clock back', () => {
  const gate = aGate();
  vi.advanceTimersByTime(1000);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(gate.claim()).toBe(false);
});
