import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { addressOf, type Collection } from '../../src/store/collection.ts';
import { startingWith, upTo } from '../../src/store/keys.ts';
import { createSteps, type Steps } from '../../src/store/steps.ts';
import type { Change, Engine } from '../../src/store/store.ts';
import { StoreTroubleError } from '../../src/store/store-error.ts';
import type { ListOptions, View } from '../../src/store/view.ts';
import { handClock } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

interface Thing {
  kind: string;
  due: number;
}

const things: Collection<Thing> = {
  name: 'things',
  whenDamaged: 'lost',
  indexes: { due: ({ kind, due }) => [kind, due], odd: ({ due }) => (due % 2 ? [due] : undefined) },
};
const counts: Collection<number> = { name: 'counts', indexes: {}, whenDamaged: 'lost' };

const THREE: [string, number][] = [
  ['a', 1],
  ['b', 2],
  ['c', 3],
];

/** Steps of two processes on one store. `calls` and `changes` are the first process's. */
function startSteps(over: Partial<Engine> = {}) {
  const clock = handClock(1000);
  const engine = createMemoryEngine(clock.now);
  const calls: string[] = [];
  const changes: Change[] = [];
  const steps = createSteps({
    ...engine,
    async read(documents, ranges, until) {
      calls.push('read');
      return (over.read ?? engine.read)(documents, ranges, until);
    },
    async commit(change, until) {
      calls.push('commit');
      changes.push(change);
      return (over.commit ?? engine.commit)(change, until);
    },
  });
  return { clock, engine, steps, others: createSteps(engine), calls, changes };
}

const add = (id: string, by = 1) => {
  return (view: View) => {
    const count = (view.get(counts, id) ?? 0) + by;
    view.put(counts, id, count);
    return count;
  };
};

const put = (id: string, due: number, kind = 'k') => {
  return (view: View) => {
    view.get(things, id);
    view.put(things, id, { kind, due });
  };
};

const idsIn = (view: View, options?: ListOptions) =>
  view.list(things, 'due', startingWith(['k']), options).map(({ id }) => id);

describe('a store that is connected again', () => {
  test('writes nothing of a step that read from it before', async () => {
    const { steps, others, engine, calls } = startSteps({
      async read(...asked) {
        const reading = await engine.read(...asked);
        if (calls.length === 1) steps.forget();
        return reading;
      },
    });
    await expect(steps.run(add('n'))).rejects.toThrow('connected again during the step');
    expect(calls).toEqual(['read']);
    expect(await steps.run(add('n'))).toBe(1);
    expect(await others.run((view) => view.get(counts, 'n'))).toBe(1);
  });
});

describe('a step', () => {
  test('runs again if another process was quicker: no count is lost', async () => {
    const { steps, others } = startSteps();
    await steps.run(add('n'));
    await others.run(add('n'));
    expect(await steps.run(add('n'))).toBe(3);
    expect(await others.run((view) => view.get(counts, 'n'))).toBe(3);
  });

  test('a hundred at once, of two processes, are all counted', async () => {
    const { steps, others } = startSteps();
    const all = Array.from({ length: 100 }, (_, i) => (i % 2 ? steps : others).run(add('n')));
    expect((await Promise.all(all)).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });

  test('that only reads, in more than one trip, gets the state of one moment', async () => {
    const { steps, others, engine, calls } = startSteps({
      read: async (...asked) => {
        const reading = await engine.read(...asked);
        await others.run((view) => {
          view.put(counts, 'one', calls.length);
          view.put(counts, 'two', calls.length);
        });
        return reading;
      },
    });
    await others.run(add('one', 0));
    await others.run(add('two', 0));
    const both = await steps.run((view) => [view.get(counts, 'one'), view.get(counts, 'two')]);
    expect(both).toEqual([1, 1]);
    expect(calls).toHaveLength(2);
  });

  test('that waits for a range which ends now reads it once, however slow the store is', async () => {
    const { engine, clock, ...rig } = startSteps({
      read: async (...asked) => {
        clock.advance(50);
        return engine.read(...asked);
      },
    });
    await rig.others.run(put('a', 900));
    const found = await rig.steps.run((view) => view.list(things, 'due', upTo(['k'], view.now)));
    expect(found.map(({ id }) => id)).toEqual(['a']);
    expect(rig.calls).toEqual(['read']);
  });

  test('whose time was far off runs again with the right time', async () => {
    const { steps, engine, clock } = startSteps({
      commit: async (change, until) => {
        if (clock.now() === 1000) clock.advance(10_000);
        return engine.commit(change, until);
      },
    });
    expect(
      await steps.run((view) => {
        view.put(counts, 'n', view.now);
        return view.now;
      }),
    ).toBe(11_000);
  });

  test('counts only before its moment: after it, it runs again and may decide otherwise', async () => {
    const { steps, engine, clock } = startSteps({
      commit: async (change, until) => {
        if (clock.now() === 1000) clock.advance(500);
        return engine.commit(change, until);
      },
    });
    const answer = await steps.run((view) => {
      if (view.now >= 1200) return 'too late';
      view.commitBefore(1200);
      view.put(counts, 'n', 1);
      return 'done';
    });
    expect(answer).toBe('too late');
    expect(await steps.run((view) => view.get(counts, 'n'))).toBeUndefined();
  });

  test('that has lost to another process tries again, though its own time is over', async () => {
    const STEP_MS = 1000;
    const engine = createMemoryEngine(handClock().now);
    const others = createSteps(engine);
    let isFirst = true;
    const steps = createSteps(
      {
        ...engine,
        async commit(change) {
          if (isFirst) {
            isFirst = false;
            await others.run(add('n'));
            await sleep(STEP_MS);
          }
          return engine.commit(change);
        },
      },
      STEP_MS,
    );
    expect(await steps.run(add('n'))).toBe(2);
  });

  test('is given up in time if others are always quicker', async () => {
    const clock = handClock();
    const engine = createMemoryEngine(clock.now);
    let n = 0;
    const steps = createSteps(
      {
        ...engine,
        async commit(change, until) {
          n += 1;
          const meanwhile = { version: `other${n}`, text: String(n) };
          await engine.commit({
            ...change,
            expected: [],
            puts: [{ address: addressOf(counts, 'n'), stored: meanwhile }],
          });
          return engine.commit(change, until);
        },
      },
      50,
    );
    await expect(steps.run(add('n'))).rejects.toMatchObject({ name: 'StoreTroubleError', code: 'late' });
  });

  test('fails if the store has no time, and so does its queue, which goes on later', async () => {
    const engine = createMemoryEngine(() => 1000);
    let isBroken = true;
    const now = () => {
      if (isBroken) throw new Error('no time');
      return 1000;
    };
    const steps = createSteps({ ...engine, now });
    await expect(steps.run(add('n'))).rejects.toThrow('no time');
    await expect(steps.run(add('n'), 'q')).rejects.toThrow('no time');
    isBroken = false;
    expect(await steps.run(add('n'), 'q')).toBe(1);
  });

  test('reads in one trip what its parts need that go together; if one of them throws, that counts', async () => {
    const { steps, calls } = startSteps();
    await steps.run(put('a', 1));
    calls.length = 0;
    const all = startingWith([]);
    const both = (view: View) =>
      view.together(
        () => view.list(things, 'due', all).length,
        () => view.get(counts, 'n') ?? 0,
        () => (view.get(counts, 'none') === undefined ? 'nothing' : 'something'),
      );
    expect(await steps.run(both)).toEqual([1, 0, 'nothing']);
    expect(calls).toEqual(['read']);
    const failing = steps.run((view) =>
      view.together(
        () => view.get(counts, 'other'),
        () => {
          throw new Error('no');
        },
      ),
    );
    await expect(failing).rejects.toThrow('no');
  });
});

describe('a damaged document', () => {
  async function damaged() {
    const { engine, others } = startSteps();
    const errors: string[] = [];
    const steps = createSteps(engine, undefined, ({ message }) => errors.push(message));
    for (const id of ['a', 'b']) await others.run(put(id, 1));
    const stored = { version: 'v', text: '{"kind":"k","d' };
    const puts = [{ address: addressOf(things, 'a'), stored }];
    await engine.commit({
      ...{ expected: [], puts, deletes: [], entries: { added: [], removed: [] } },
      ...{ at: engine.now(), isSynced: true },
    });
    return { steps, errors };
  }

  test('counts as lost, and fails no step; lists leave it out; it is reported once', async () => {
    const { steps, errors } = await damaged();
    const [found, listed, other] = await Promise.all([
      steps.run((view) => view.get(things, 'a'), 'q'),
      steps.run((view) => idsIn(view, { limit: 1 }), 'q'),
      steps.run((view) => view.get(things, 'b')?.due, 'q'),
    ]);
    expect(found).toBeUndefined();
    expect(listed).toEqual(['b']);
    expect(other).toBe(1);
    expect(errors).toEqual([expect.stringContaining('things/a is damaged')]);
    const pages = await Array.fromAsync(steps.documents(things));
    expect(pages.flat()).toEqual([{ id: 'b', value: { kind: 'k', due: 1 } }]);
  });

  test('that is written again, and then deleted, is in no list at its old place', async () => {
    const ids = (steps: Steps) => steps.run((view) => idsIn(view));
    const remove = (view: View) => {
      view.get(things, 'a');
      view.delete(things, 'a');
    };
    const { steps } = await damaged();
    await steps.run((view) => view.put(things, 'a', { kind: 'k', due: view.get(things, 'a')?.due ?? 7 }));
    expect(await ids(steps)).toEqual(['b', 'a']);
    // Its old place comes first, and takes no room in a list with a limit.
    expect(await steps.run((view) => idsIn(view, { limit: 1 }))).toEqual(['b']);
    expect(await steps.run((view) => idsIn(view, { limit: 2 }))).toEqual(['b', 'a']);
    await steps.run(remove);
    expect(await ids(steps)).toEqual(['b']);
    expect(await steps.run((view) => idsIn(view, { limit: 1 }))).toEqual(['b']);
    expect(await steps.run((view) => idsIn(view, { limit: 1, isReverse: true }))).toEqual(['b']);
    await steps.run(put('a', 3));
    expect(await ids(steps)).toEqual(['b', 'a']);
    const other = await damaged();
    await other.steps.run(remove);
    expect(await ids(other.steps)).toEqual(['b']);
  });

  test('that counts as a value is in the lists by that value', async () => {
    const known: Collection<Thing> = { ...things, whenDamaged: () => ({ kind: 'k', due: 5 }) };
    const { steps } = await damaged();
    expect(await steps.run((view) => view.get(known, 'a'))).toEqual({ kind: 'k', due: 5 });
    const listed = await steps.run((view) => view.list(known, 'due', startingWith([])));
    expect(listed.map(({ id, value }) => [id, value.due])).toEqual([
      ['b', 1],
      ['a', 5],
    ]);
    const pages = await Array.fromAsync(steps.documents(known));
    expect(pages.flat()).toContainEqual({ id: 'a', value: { kind: 'k', due: 5 } });
  });

  test('no report quotes it: it may hold a number', async () => {
    const { steps, errors } = await damaged();
    await Array.fromAsync(steps.documents(things));
    await steps.run((view) => view.get(things, 'a'));
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toMatch(/^The stored document things\/a is damaged\. docs/);
  });
});

describe('steps of one queue', () => {
  test('that are asked for in one turn, or wait, share one commit; each sees what those before it wrote', async () => {
    const { steps, calls } = startSteps();
    const five = () => Array.from({ length: 5 }, () => steps.run(add('n'), 'q'));
    const first = five();
    // By now the first commit is under way, or done.
    const waiting = new Promise<number[]>((resolve) => setImmediate(() => resolve(Promise.all(five()))));
    expect(await Promise.all([...first, waiting])).toEqual([1, 2, 3, 4, 5, [6, 7, 8, 9, 10]]);
    expect(calls.filter((call) => call === 'commit')).toHaveLength(2);
  });

  test('steps that were answered together ask again together', async () => {
    const { steps, calls } = startSteps();
    await steps.run(add('n'));
    calls.length = 0;
    const twice = async () => {
      await steps.run(add('n'), 'q');
      await steps.run(add('n'), 'q');
    };
    await Promise.all(Array.from({ length: 10 }, twice));
    expect(calls).toEqual(['commit', 'commit']);
  });

  test('a step that throws leaves nothing, and the others count', async () => {
    const { steps } = startSteps();
    const first = steps.run(add('n'), 'q');
    const second = steps.run(add('n', 10), 'q');
    const wrong = steps.run((view) => {
      add('n', 100)(view);
      view.put(counts, 'other', 1);
      throw new Error('no');
    }, 'q');
    const last = steps.run(add('n', 1000), 'q');
    await expect(wrong).rejects.toThrow('no');
    expect(await Promise.all([first, second, last])).toEqual([1, 11, 1011]);
    const stands = await steps.run((view) => [view.get(counts, 'n'), view.get(counts, 'other')]);
    expect(stands).toEqual([1011, undefined]);
  });

  test('a step with a key that can’t be written fails alone', async () => {
    const { steps } = startSteps();
    const first = steps.run(put('a', 1), 'q');
    const wrong = steps.run(put('b', -1), 'q');
    const last = steps.run(put('c', 3), 'q');
    await expect(wrong).rejects.toThrow(RangeError);
    await Promise.all([first, last]);
    expect(await steps.run((view) => idsIn(view))).toEqual(['a', 'c']);
  });

  test('the demands of a step that throws, a moment or no disk, do not bind the others', async () => {
    const { steps, changes } = startSteps();
    const first = steps.run(add('n'), 'q');
    const wrong = steps.run((view) => {
      view.commitBefore(0);
      view.allowUnsynced();
      throw new Error('no');
    }, 'q');
    const last = steps.run(add('n'), 'q');
    await expect(wrong).rejects.toThrow('no');
    await Promise.all([first, last]);
    expect(changes.at(-1)).toMatchObject({ isSynced: true, before: Number.POSITIVE_INFINITY });
  });

  test('are unsynced only if all that write are', async () => {
    const { steps, changes } = startSteps();
    const loose = (view: View) => {
      view.allowUnsynced();
      return add('n')(view);
    };
    const reader = (view: View) => void view.get(counts, 'n');
    await steps.run(loose);
    await Promise.all([steps.run(loose, 'q'), steps.run(reader, 'q')]);
    await Promise.all([steps.run(loose, 'q'), steps.run(add('m'), 'q')]);
    expect(changes.map(({ isSynced }) => isSynced)).toEqual([false, false, true]);
  });

  test('all get an error if the store can’t be used; the next ones go on', async () => {
    let isDown = false;
    const { steps, engine } = startSteps({
      commit: async (...asked) => {
        if (isDown) throw new StoreTroubleError('refused', 'down');
        return engine.commit(...asked);
      },
    });
    await steps.run(add('n'));
    isDown = true;
    const all = [1, 2, 3].map(() => steps.run(add('n'), 'q'));
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    isDown = false;
    expect(await steps.run(add('n'), 'q')).toBe(2);
  });
});

describe('what a process remembers', () => {
  test('saves the read before a commit', async () => {
    const { steps, calls } = startSteps();
    await steps.run(add('n'));
    calls.length = 0;
    expect(await steps.run(add('n'))).toBe(2);
    expect(calls).toEqual(['commit']);
  });

  test('is checked before it is an answer', async () => {
    const { steps, others, calls } = startSteps();
    await steps.run(add('n'));
    await others.run(add('n'));
    calls.length = 0;
    expect(await steps.run((view) => view.get(counts, 'n'))).toBe(2);
    expect(calls).toEqual(['read']);
  });

  test('is checked before a step may throw for it', async () => {
    const { steps, others } = startSteps();
    await steps.run(add('n'));
    await others.run(add('n'));
    const atMostOne = (view: View) => {
      if (view.get(counts, 'n') === 1) throw new Error('still one');
      return 'two';
    };
    expect(await steps.run(atMostOne)).toBe('two');
    await others.run(add('n', -1));
    const first = steps.run(add('m'), 'q');
    const second = steps.run((view) => {
      if (view.get(counts, 'n') === 2) throw new Error('still two');
      return 'one';
    }, 'q');
    expect(await Promise.all([first, second, steps.run(add('m'), 'q')])).toEqual([1, 'one', 2]);
  });

  test('is forgotten if the fate of a commit is not known', async () => {
    let isLost = false;
    const { steps, engine } = startSteps({
      commit: async (...asked) => {
        const answer = await engine.commit(...asked);
        if (isLost) throw new StoreTroubleError('late', 'no answer');
        return answer;
      },
    });
    await steps.run(add('n'));
    isLost = true;
    await expect(steps.run(add('n'))).rejects.toThrow('no answer');
    isLost = false;
    let seen: number | undefined;
    await steps.run((view) => {
      seen ??= view.get(counts, 'n');
      add('n')(view);
    });
    expect(seen).toBe(2);
    expect(await steps.run((view) => view.get(counts, 'n'))).toBe(3);
  });

  test('does not hold what a refused step wanted to write', async () => {
    const { steps } = startSteps();
    await expect(
      steps.run((view) => {
        view.put(counts, 'n', 7);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await steps.run(add('n'))).toBe(1);
  });
});

describe('a document that is most likely not there', () => {
  const once = (view: View) => {
    if (view.getAssumingAbsent(counts, 'n') !== undefined) return false;
    view.put(counts, 'n', 1);
    return true;
  };

  test('costs no read if it is not there', async () => {
    const { steps, calls } = startSteps();
    expect(await steps.run(once)).toBe(true);
    expect(calls).toEqual(['commit']);
  });

  test('is found by the commit if it is there', async () => {
    const { steps, others } = startSteps();
    await others.run(add('n', 5));
    expect(await steps.run(once)).toBe(false);
    expect(await others.run((view) => view.get(counts, 'n'))).toBe(5);
  });

  test('is found if nothing is written', async () => {
    const { steps, others } = startSteps();
    await others.run(add('n', 5));
    expect(await steps.run((view) => view.getAssumingAbsent(counts, 'n'))).toBe(5);
  });

  test('has the entries that are really there, also if a step puts it unread', async () => {
    const { steps, others } = startSteps();
    await others.run(put('a', 1));
    await steps.run((view) => view.put(things, 'a', { kind: 'k', due: 2 }));
    const listed = await others.run((view) => [idsIn(view), view.list(things, 'odd', startingWith([]))]);
    expect(listed).toEqual([['a'], []]);
  });
});

async function withThings(all = THREE) {
  const rig = startSteps();
  for (const [id, due] of all) await rig.others.run(put(id, due));
  return rig;
}

describe('a list', () => {
  test('holds what earlier steps wrote, in its place now, and not what they deleted', async () => {
    const { steps } = await withThings();
    const listed = await steps.run((view) => {
      const before = idsIn(view);
      put('a', 9)(view);
      put('new', 2)(view);
      put('c', 3, 'other')(view);
      view.delete(things, 'b');
      return [before, idsIn(view), idsIn(view, { isReverse: true })];
    });
    expect(listed).toEqual([
      ['a', 'b', 'c'],
      ['new', 'a'],
      ['a', 'new'],
    ]);
  });

  test('with a limit has the first of all, though documents moved beyond what was read', async () => {
    const { steps } = await withThings([...THREE, ['d', 4], ['e', 5]]);
    const listed = await steps.run((view) => {
      const before = idsIn(view, { limit: 2 });
      put('a', 9)(view);
      const moved = idsIn(view, { limit: 2 });
      put('z', 0)(view);
      view.delete(things, 'b');
      return [before, moved, idsIn(view, { limit: 2 }), idsIn(view, { limit: 9 })];
    });
    expect(listed).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['z', 'c'],
      ['z', 'c', 'd', 'e', 'a'],
    ]);
  });

  test('with a limit, from the end', async () => {
    const { steps } = await withThings([...THREE, ['d', 4]]);
    const listed = await steps.run((view) => {
      put('d', 0)(view);
      return idsIn(view, { limit: 2, isReverse: true });
    });
    expect(listed).toEqual(['c', 'b']);
  });

  test('entries with one key go by their ids, and a limit cuts none of them out', async () => {
    const { steps } = await withThings([
      ['d', 1],
      ['b', 1],
      ['c', 1],
      ['a', 1],
    ]);
    const listed = await steps.run((view) => {
      const before = idsIn(view, { limit: 2 });
      put('aa', 1)(view);
      return [before, idsIn(view, { limit: 2 }), idsIn(view, { limit: 4 })];
    });
    expect(listed).toEqual([
      ['a', 'b'],
      ['a', 'aa'],
      ['a', 'aa', 'b', 'c'],
    ]);
  });

  test('without a limit, after one with a limit, asks the engine for the whole range', async () => {
    const engine = createMemoryEngine(() => 1000);
    const limits: (number | undefined)[] = [];
    const steps = createSteps({
      ...engine,
      async read(documents, ranges, until) {
        limits.push(...ranges.map(({ limit }) => limit));
        return engine.read(documents, ranges, until);
      },
    });
    for (const [id, due] of THREE) await steps.run(put(id, due));
    const listed = await steps.run((view) => [idsIn(view, { limit: 2 }), idsIn(view)]);
    expect(listed).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ]);
    expect(limits).toEqual([2, Number.MAX_SAFE_INTEGER]);
  });

  test('leaves out what another process took from the range before the commit', async () => {
    const { steps, others } = await withThings();
    const takeFirst = (view: View) => {
      const [id] = idsIn(view, { limit: 2 });
      if (id === undefined) return undefined;
      view.delete(things, id);
      return id;
    };
    const taken = await Promise.all([steps, others, steps, others].map((each) => each.run(takeFirst)));
    expect(taken.filter((id) => id !== undefined).sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('a recent list', () => {
  const recent = (view: View) => idsIn(view, { allowCached: true });

  test('is read once, and then holds what this process has written since', async () => {
    const { steps, calls } = await withThings();
    expect(await steps.run(recent)).toEqual(['a', 'b', 'c']);
    await steps.run(put('d', 0));
    await steps.run((view) => view.delete(things, view.get(things, 'b') ? 'b' : ''));
    await steps.run(put('c', 9, 'other'));
    calls.length = 0;
    expect(await steps.run(recent)).toEqual(['d', 'a']);
    expect(calls).toEqual([]);
  });

  test('is covered by one of a wider range', async () => {
    const { steps, calls } = await withThings();
    await steps.run((view) => view.list(things, 'due', startingWith([])));
    calls.length = 0;
    expect(await steps.run(recent)).toEqual(['a', 'b', 'c']);
    expect(calls).toEqual([]);
  });

  test('may lack what others have added, until two seconds are over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { steps, others } = await withThings();
    await steps.run(recent);
    await others.run(put('d', 0));
    expect(await steps.run(recent)).toEqual(['a', 'b', 'c']);
    expect(await steps.run((view) => idsIn(view))).toEqual(['d', 'a', 'b', 'c']);
    await others.run(put('e', 0));
    vi.advanceTimersByTime(2001);
    expect(await steps.run(recent)).toEqual(['d', 'e', 'a', 'b', 'c']);
  });

  test('is out of date if others have changed it, and the commit notices that', async () => {
    const { steps, others } = await withThings();
    const takeFirst = (view: View) => {
      const [id] = recent(view);
      if (id !== undefined) put(id, 1, 'taken')(view);
      return id;
    };
    await steps.run(recent);
    expect(await others.run(takeFirst)).toBe('a');
    expect(await steps.run(takeFirst)).toBe('b');
  });

  test('is read again if its limit cut it and more is asked for', async () => {
    const { steps } = await withThings();
    await steps.run((view) => idsIn(view, { limit: 1 }));
    expect(await steps.run((view) => idsIn(view, { limit: 1, allowCached: true }))).toEqual(['a']);
    expect(await steps.run((view) => idsIn(view, { limit: 2, allowCached: true }))).toEqual(['a', 'b']);
  });
});

test('a document that never changes is compared with nothing, and read once', async () => {
  const fixed: Collection<string> = { name: 'fixed', indexes: {}, isImmutable: true, whenDamaged: 'lost' };
  const { steps, others, calls, changes } = startSteps();
  await others.run((view) => view.put(fixed, 'a', 'text'));
  const readAndAdd = (view: View) => [view.get(fixed, 'a'), add('a')(view)];
  await steps.run(readAndAdd);
  calls.length = 0;
  expect(await steps.run((view) => view.get(fixed, 'a'))).toBe('text');
  expect(calls).toEqual([]);
  expect(changes[0]?.expected.map(({ address }) => address.collection)).toEqual(['counts']);
});
