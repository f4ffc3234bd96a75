import { expect, test } from 'vitest';
import { createRecent } from '../../src/core/recent.ts';

function start() {
  let now = 1000;
  const recent = createRecent<string>(100, () => now);
  return {
    recent,
    wait(ms: number) {
      now += ms;
    },
  };
}

test('what was found is known until it is too old', () => {
  const { recent, wait } = start();
  recent.set('a', 'one');
  wait(100);
  expect(recent.get('a')).toBe('one');
  wait(1);
  expect(recent.get('a')).toBeUndefined();
});

test('who asks for something newer gets nothing older', () => {
  const { recent, wait } = start();
  recent.set('a', 'one');
  wait(50);
  expect(recent.get('a', 49)).toBeUndefined();
  expect(recent.get('a', 50)).toBe('one');
  wait(51);
  expect(recent.get('a', 1000)).toBeUndefined();
});

test('its age counts from when it was asked for', () => {
  const { recent, wait } = start();
  recent.set('a', 'one', 950);
  wait(50);
  expect(recent.get('a')).toBe('one');
  wait(1);
  expect(recent.get('a')).toBeUndefined();
});

test('what is found again is as new as that', () => {
  const { recent, wait } = start();
  recent.set('a', 'one');
  recent.set('b', 'two');
  wait(90);
  recent.set('a', 'three');
  wait(20);
  recent.set('c', 'four');
  expect(['a', 'b', 'c'].map((name) => recent.get(name))).toEqual(['three', undefined, 'four']);
});
