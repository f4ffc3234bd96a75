import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Delivery } from '../../src/core/post-or-retry.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Announcement } from '../../src/ledger/model/announcement.ts';
import type { OutboxRow } from '../../src/ledger/outbox/outbox-types.ts';
import { createGate } from '../helpers/core-ledger.ts';
import { startOutbox } from '../helpers/core-outbox.ts';
import { eventually } from '../helpers/core-sends.ts';
import { boot, type CoreWorld, createCoreWorld } from '../helpers/core-world.ts';

const aRow = (id: string, over: Partial<Announcement> = {}): Announcement => ({
  id,
  topic: 'receipt',
  subject: id,
  details: null,
  ...over,
});

const POSTED: Delivery = { kind: 'posted', posted: { ts: '1' } };

/** An outbox on a real ledger. Posting gives `answers` in turn, and then always succeeds. */
async function start(answers: (Delivery | Error)[] = [], world?: CoreWorld) {
  const place = world ?? (await createCoreWorld());
  const booted = await boot(place);
  const { ledger, log } = booted;
  const tried: OutboxRow[] = [];
  const outbox = startOutbox({
    ledger,
    log,
    async deliver(row) {
      tried.push(row);
      const answer = answers.shift() ?? POSTED;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const announce = async (row: Announcement) => {
    await ledger.announce(row);
    outbox.wake();
  };
  return { ...booted, world: place, outbox, tried, announce, tries: () => tried.map(({ id }) => id) };
}

/** The outbox looks again and again, as in rounds, while time runs fast, until it has tried `count` times. */
async function untilTried(rig: Awaited<ReturnType<typeof start>>, count: number, stepMs = 500) {
  await eventually(() => {
    rig.time.advance(stepMs);
    rig.outbox.wake();
    expect(rig.tried.length).toBeGreaterThanOrEqual(count);
  });
  rig.time.advance(3_600_000);
  rig.outbox.wake();
  await rig.outbox.drain();
}

/** Waits until each post is noted. If its lease ended before, the row would be due again. */
const noted = (ledger: Ledger) => eventually(async () => expect(await ledger.nextDueAt()).toBeUndefined());

/** How long the log says that messages wait. */
function waitsOf(world: CoreWorld): number[] {
  return [...world.logged().matchAll(/"waitMs":(\d+)/g)].map(([, waitMs]) => Number(waitMs));
}

describe('a message that must arrive', () => {
  test('is posted once, however often it is woken', async () => {
    const { announce, outbox, ledger, tries, time } = await start();
    await announce(aRow('a'));
    await announce(aRow('b'));
    await noted(ledger);
    for (let wakes = 0; wakes < 20; wakes += 1) {
      time.advance(60_000);
      outbox.wake();
    }
    await outbox.drain();
    expect(tries().sort()).toEqual(['a', 'b']);
  });

  test.each([
    { answer: { kind: 'refused' } as Delivery, what: 'a plain refusal' },
    { answer: { kind: 'lost' } as Delivery, what: 'a lost answer' },
    { answer: new Error('the renderer broke'), what: 'an error of whoever posts' },
  ])('is posted once more after $what', async ({ answer }) => {
    const rig = await start([answer]);
    await rig.announce(aRow('a'));
    await untilTried(rig, 2);
    expect(rig.tries()).toEqual(['a', 'a']);
    expect(rig.tried[1]?.attempts).toBe(1);
  });

  test('comes again by itself when its words are out of date, after five minutes at most', async () => {
    const rig = await start([
      { ...POSTED, againMs: 60_000 },
      { ...POSTED, againMs: 3_600_000 },
    ]);
    const { ledger, time } = rig;
    const dueInMs = async () => ((await ledger.nextDueAt()) ?? 0) - time.now();
    await rig.announce(aRow('a'));
    await eventually(async () => expect(await dueInMs()).toBeGreaterThan(50_000));
    expect(await dueInMs()).toBeLessThanOrEqual(60_000);
    time.advance(60_000);
    rig.outbox.wake();
    await eventually(async () => expect(await dueInMs()).toBeGreaterThan(200_000));
    expect(await dueInMs()).toBeLessThanOrEqual(300_000);
  });

  test('waits as long as Slack asks for', async () => {
    const rig = await start([{ kind: 'refused', waitMs: 30_000 }]);
    await rig.announce(aRow('a'));
    await eventually(() => expect(waitsOf(rig.world)).toEqual([30_000]));
    rig.time.advance(20_000);
    rig.outbox.wake();
    await eventually(async () => expect(await rig.ledger.takeDue('t', 1000)).toBeUndefined());
    rig.time.advance(10_001);
    rig.outbox.wake();
    await eventually(() => expect(rig.tried).toHaveLength(2));
  });

  test('waits longer after each refusal, up to a minute or so', async () => {
    const rig = await start(Array<Delivery>(12).fill({ kind: 'refused' }));
    await rig.announce(aRow('a'));
    for (let tries = 1; tries <= 12; tries += 1) {
      await eventually(() => {
        rig.time.advance(75_001);
        rig.outbox.wake();
        expect(waitsOf(rig.world).length).toBeGreaterThanOrEqual(tries);
      });
    }
    const waits = waitsOf(rig.world);
    expect(waits[0]).toBeLessThanOrEqual(625);
    expect(waits[5]).toBeGreaterThan(5000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(75_000);
    expect(waits.at(-1)).toBeGreaterThan(40_000);
  });

  test('is not posted if there is nothing to say, and not tried again', async () => {
    const rig = await start([{ kind: 'dropped', why: 'the send is gone' }]);
    await rig.announce(aRow('a'));
    await noted(rig.ledger);
    await untilTried(rig, 1);
    expect(rig.tries()).toEqual(['a']);
  });

  test('that changes after it was posted updates the same message', async () => {
    const rig = await start([{ kind: 'posted', posted: { channel: 'C1', ts: '42' } }]);
    await rig.announce(aRow('a', { details: { level: 'low' } }));
    await eventually(() => expect(rig.tried).toHaveLength(1));
    await rig.announce(aRow('a', { details: { level: 'over' } }));
    await eventually(() => expect(rig.tried).toHaveLength(2));
    expect(rig.tried[1]).toMatchObject({ details: { level: 'over' }, posted: { channel: 'C1', ts: '42' } });
  });

  test('with nothing to say this time keeps its place', async () => {
    const rig = await start([
      { kind: 'posted', posted: { ts: '42' } },
      { kind: 'dropped', why: 'nothing to say' },
    ]);
    for (const tries of [1, 2, 3]) {
      await rig.announce(aRow('a', { details: tries }));
      await eventually(() => expect(rig.tried).toHaveLength(tries));
    }
    expect(rig.tried[2]).toMatchObject({ details: 3, posted: { ts: '42' } });
  });

  test('that changes while it is being posted is posted again, with the change', async () => {
    const { ledger, log } = await boot(await createCoreWorld());
    const gate = createGate();
    const said: unknown[] = [];
    const outbox = startOutbox({
      ledger,
      log,
      async deliver({ details }) {
        said.push(details);
        await gate.pass();
        return POSTED;
      },
    });
    await ledger.announce(aRow('a', { details: 1 }));
    outbox.wake();
    await eventually(() => expect(said).toEqual([1]));
    await ledger.announce(aRow('a', { details: 2 }));
    outbox.wake();
    gate.open();
    await eventually(() => {
      outbox.wake();
      expect(said).toEqual([1, 2]);
    });
    await outbox.drain();
    expect(await ledger.takeDue('t', 1000)).toBeUndefined();
  });
});

describe('many messages', () => {
  test('a slow one does not hold up the others', async () => {
    const { ledger, log } = await boot(await createCoreWorld());
    const gate = createGate();
    const done: string[] = [];
    const outbox = startOutbox({
      ledger,
      log,
      async deliver({ id }) {
        if (id === 'slow') await gate.pass();
        done.push(id);
        return POSTED;
      },
    });
    for (const id of ['slow', ...Array.from({ length: 10 }, (_, index) => `quick-${index}`)]) {
      await ledger.announce(aRow(id));
    }
    outbox.wake();
    await eventually(() => expect(done).toHaveLength(10));
    gate.open();
    await eventually(() => expect(done).toHaveLength(11));
    expect(done.at(-1)).toBe('slow');
  });

  test('at most sixteen are on their way at a time, and each is posted once', async () => {
    const { ledger, log } = await boot(await createCoreWorld());
    const posted: string[] = [];
    let posting = 0;
    let most = 0;
    const outbox = startOutbox({
      ledger,
      log,
      async deliver({ id }) {
        posting += 1;
        most = Math.max(most, posting);
        await new Promise((resolve) => setTimeout(resolve, 2));
        posting -= 1;
        posted.push(id);
        return POSTED;
      },
    });
    for (let count = 0; count < 60; count += 1) {
      await ledger.announce(aRow(`row-${count}`));
      outbox.wake();
    }
    await eventually(() => expect(posted).toHaveLength(60));
    expect(new Set(posted).size).toBe(60);
    expect(most).toBe(16);
  });

  test('a store that fails for a while loses none', async () => {
    const rig = await start();
    let failures = 3;
    rig.tap.intercept('takeDue', (takeDue) => async (...args) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the disk is full');
      return takeDue(...args);
    });
    await rig.announce(aRow('a'));
    await eventually(() => {
      rig.outbox.wake();
      expect(rig.tries()).toEqual(['a']);
    });
  });
});

describe('a restart', () => {
  test('while a message is being posted posts it once more, whether or not it arrived', async () => {
    const world = await createCoreWorld();
    const first = await boot(world);
    await first.ledger.announce(aRow('a'));
    expect(await first.ledger.takeDue('a token of the dead', 30_000)).toMatchObject({ id: 'a' });
    const rig = await start([], world);
    rig.outbox.wake();
    await eventually(() => expect(rig.tries()).toEqual(['a']));
    await rig.outbox.drain();
    const third = await start([], world);
    third.outbox.wake();
    await third.outbox.drain();
    expect(third.tries()).toEqual([]);
  });

  test('a post that takes longer than its lease is kept, and made by nobody else', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const gate = createGate();
    const rig = await start();
    let renewals = 0;
    rig.tap.intercept('extendPosting', (extendPosting) => async (...args) => {
      const kept = await extendPosting(...args);
      renewals += Number(kept);
      return kept;
    });
    const posted: string[] = [];
    const slow = startOutbox({
      ledger: rig.ledger,
      log: rig.log,
      async deliver({ id }) {
        posted.push(id);
        await gate.pass();
        return POSTED;
      },
    });
    await rig.ledger.announce(aRow('slow'));
    slow.wake();
    await eventually(() => expect(posted).toEqual(['slow']));
    rig.time.advance(25_000);
    vi.advanceTimersByTime(10_000);
    await eventually(() => expect(renewals).toBe(1));
    rig.time.advance(25_000);
    rig.outbox.wake();
    await rig.outbox.drain();
    expect(rig.tries()).toEqual([]);
    gate.open();
    await slow.drain();
    expect(await rig.ledger.nextDueAt()).toBeUndefined();
  });

  test('draining waits for posts under way, and takes no more', async () => {
    const { ledger, log } = await boot(await createCoreWorld());
    const gate = createGate();
    const posted: string[] = [];
    const outbox = startOutbox({
      ledger,
      log,
      async deliver({ id }) {
        posted.push(id);
        await gate.pass();
        return POSTED;
      },
    });
    const ids = Array.from({ length: 18 }, (_, at) => `row-${String(at).padStart(2, '0')}`);
    for (const id of ids) await ledger.announce(aRow(id));
    outbox.wake();
    await eventually(() => expect(posted).toEqual(ids.slice(0, 16)));
    const drained = outbox.drain();
    outbox.wake();
    gate.open();
    await drained;
    expect(posted).toEqual(ids.slice(0, 16));
    expect(await ledger.takeDue('t', 1000)).toMatchObject({ id: 'row-16' });
  });
});
