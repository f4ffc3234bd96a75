import { expect, test } from 'vitest';
import { createShortCache, createShortMemory } from '../../src/core/short-cache.ts';

function start() {
  let now = 1000;
  const cache = createShortCache<string>(100, () => now);
  return {
    cache,
    /** The cached value for this name, else `found`. */
    ask: (name: string, found: string, maxAgeMs?: number) => cache(name, async () => found, maxAgeMs),
    wait(ms: number) {
      now += ms;
    },
  };
}

test('a value is known until it is too old', async () => {
  const { ask, wait } = start();
  await ask('a', 'one');
  wait(99);
  expect(await ask('a', 'two')).toBe('one');
  wait(1);
  expect(await ask('a', 'three')).toBe('three');
});

test('a caller who asks for a newer value gets no older one', async () => {
  const { ask, wait } = start();
  await ask('a', 'one');
  wait(50);
  expect(await ask('a', 'two', 51)).toBe('one');
  expect(await ask('a', 'three', 50)).toBe('three');
  wait(100);
  expect(await ask('a', 'four', 1000)).toBe('four');
  expect(await ask('a', 'five', 0)).toBe('five');
});

test('its age counts from the question, and all who ask meanwhile share the answer', async () => {
  const { cache, ask, wait } = start();
  const search = Promise.withResolvers<string>();
  const first = cache('a', () => search.promise);
  wait(50);
  const second = ask('a', 'two');
  search.resolve('one');
  expect(await Promise.all([first, second])).toEqual(['one', 'one']);
  wait(50);
  expect(await ask('a', 'three')).toBe('three');
});

test('a value that is found again is as new as that', async () => {
  const { ask, wait } = start();
  await ask('a', 'one');
  await ask('b', 'two');
  wait(90);
  await ask('a', 'three', 0);
  wait(20);
  await ask('c', 'four');
  expect(await Promise.all(['a', 'b', 'c'].map((name) => ask(name, 'new')))).toEqual([
    'three',
    'new',
    'four',
  ]);
});

test('a search that failed is forgotten, even if a later one has found something', async () => {
  const { cache, ask } = start();
  const search = Promise.withResolvers<string>();
  const first = cache('a', () => search.promise);
  expect(await ask('a', 'two', 0)).toBe('two');
  search.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  expect(await ask('a', 'three')).toBe('two');
  await expect(cache('b', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await ask('b', 'four')).toBe('four');
});

test('a value is remembered until it is too old', () => {
  let now = 1000;
  const memory = createShortMemory<string>(100, () => now);
  memory.set('a', 'one');
  now += 60;
  memory.set('b', 'two');
  now += 39;
  expect(memory.get('a')).toBe('one');
  expect(memory.values()).toEqual(['one', 'two']);
  now += 1;
  expect(['a', 'b'].map(memory.get)).toEqual([undefined, 'two']);
  expect(memory.values()).toEqual(['two']);
  memory.delete('b');
  expect(memory.get('b')).toBeUndefined();
  memory.set('a', 'three', now - 99);
  expect(memory.get('a')).toBe('three');
  now += 1;
  expect(memory.get('a')).toBeUndefined();
});

test('a value stays remembered if the clock goes back a little', () => {
  let now = 1000;
  const memory = createShortMemory<string>(100, () => now);
  memory.set('a', 'one');
  now -= 5;
  expect(memory.get('a')).toBe('one');
  memory.set('b', 'two');
  now += 50;
  expect(['a', 'b'].map(memory.get)).toEqual(['one', 'two']);
});

test('a value that is too old is dropped by the next one, so that memory does not grow', () => {
  let now = 1000;
  const memory = createShortMemory<string>(100, () => now);
  memory.set('a', 'one');
  now = 1200;
  memory.set('b', 'two');
  now = 1050;
  expect(memory.get('a')).toBeUndefined();
});
