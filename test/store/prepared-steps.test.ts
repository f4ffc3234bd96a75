import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Collection } from '../../src/store/collection.ts';
import { createPreparedSteps } from '../../src/store/prepared-steps.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { View } from '../../src/store/view.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const names: Collection<string> = { name: 'names', indexes: {}, whenDamaged: 'lost' };
const read = (view: View) => view.get(names, 'n');
const write = (name: string) => (view: View) => view.put(names, 'n', name);

/** Steps whose preparations a test ends. */
function startPrepared() {
  const own = createSteps(createMemoryEngine(() => 1));
  const preparations: PromiseWithResolvers<void>[] = [];
  const steps = createPreparedSteps(own, async () => {
    const preparation = Promise.withResolvers<void>();
    preparations.push(preparation);
    await preparation.promise;
    await own.run(write(`prepared ${preparations.length}`));
  });
  return { steps, preparations };
}

test('steps run at once before the first reconnect', async () => {
  const { steps, preparations } = startPrepared();
  await steps.run(write('mine'));
  expect(await steps.run(read)).toBe('mine');
  expect(preparations).toHaveLength(0);
});

test('after a reconnect, all steps wait for one preparation', async () => {
  const { steps, preparations } = startPrepared();
  await steps.run(write('mine'));
  steps.forget();
  const answers = Promise.all([steps.run(read), steps.run(read)]);
  expect(preparations).toHaveLength(1);
  preparations[0]?.resolve();
  expect(await answers).toEqual(['prepared 1', 'prepared 1']);
  expect(await steps.run(read)).toBe('prepared 1');
  expect(preparations).toHaveLength(1);
});

test('a reconnect during the preparation needs another one', async () => {
  const { steps, preparations } = startPrepared();
  steps.forget();
  const answer = steps.run(read);
  steps.forget();
  preparations[0]?.resolve();
  await expect.poll(() => preparations.length).toBe(2);
  preparations[1]?.resolve();
  expect(await answer).toBe('prepared 2');
});

test('if the preparation fails, the steps fail that wait for it, and the next one prepares again', async () => {
  const { steps, preparations } = startPrepared();
  steps.forget();
  const answer = steps.run(read);
  preparations[0]?.reject(new Error('no answer'));
  await expect(answer).rejects.toThrow('no answer');
  const again = steps.run(read);
  preparations[1]?.resolve();
  expect(await again).toBe('prepared 2');
});

test('a step that began before a reconnect does not run after it', async () => {
  const { steps, preparations } = startPrepared();
  const answer = steps.run(write('mine'), 'queue');
  steps.forget();
  await expect(answer).rejects.toThrow('connected again');
  const later = steps.run(read);
  preparations[0]?.resolve();
  expect(await later).toBe('prepared 1');
});

test('nor if the preparation is over before its queue comes to it', async () => {
  const engine = createMemoryEngine(() => 1);
  const own = createSteps(engine);
  const steps = createPreparedSteps(own, () => own.run(write('prepared')));
  const slow = Promise.withResolvers<void>();
  vi.spyOn(engine, 'read').mockImplementationOnce(async (...asked) => {
    vi.mocked(engine.read).mockRestore();
    await slow.promise;
    return engine.read(...asked);
  });
  const first = steps.run(read, 'queue');
  await setImmediate();
  const answers = Promise.allSettled([first, steps.run(write('mine'), 'queue')]);
  steps.forget();
  expect(await steps.run(read)).toBe('prepared');
  slow.resolve();
  const late = { reason: { code: 'late' } };
  expect(await answers).toMatchObject([late, late]);
  expect(await steps.run(read)).toBe('prepared');
});
