import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/core/post-or-retry.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Announcement } from '../../src/ledger/model/announcement.ts';
import type { OutboxRow } from '../../src/ledger/outbox/outbox-types.ts';
import { createSteps } from '../../src/store/steps.ts';
import { StoreTroubleError } from '../../src/store/store-error.ts';
import { createGate } from '../helpers/core-ledger.ts';
import { startOutbox } from '../helpers/core-outbox.ts';
import { eventually } from '../helpers/core-sends.ts';
import { boot, type CoreWorld, createCoreWorld } from '../helpers/core-world.ts';
import { handClock, LIMITS } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { ENGINES } from '../helpers/two-bots.ts';

const POSTED: Delivery = { kind: 'posted', posted: { ts: '1' } };
const NEVER = new Promise<never>(() => {});

const aRow = (id: string, over: Partial<Announcement> = {}): Announcement => ({
  id,
  topic: 'receipt',
  subject: id,
  details: null,
  ...over,
});

/** A bot's outbox. `world.commits` has its commits; nobody wakes it. */
async function start(deliver: (row: OutboxRow) => Promise<Delivery> = async () => POSTED, world?: CoreWorld) {
  const place = world ?? (await createCoreWorld());
  const booted = await boot(place);
  const { ledger, log } = booted;
  const tried: OutboxRow[] = [];
  const outbox = startOutbox({
    ledger,
    log,
    deliver(row) {
      tried.push(row);
      return deliver(row);
    },
  });
  return { ...booted, world: place, outbox, tried, tries: () => tried.map(({ id }) => id) };
}

/** Makes these rows due in one commit. */
function announceAll({ ledger }: Pick<Awaited<ReturnType<typeof start>>, 'ledger'>, ids: string[]) {
  const announcements = ids.map((id) => aRow(id));
  return ledger.changeState('all', { from: undefined, to: 'due', details: null, announcements });
}

describe('a row that a bot makes due itself', () => {
  test('takes one commit, and another one after its post', async () => {
    const { ledger, outbox, world, tries } = await start();
    await ledger.announce(aRow('a'));
    await outbox.drain();
    expect(tries()).toEqual(['a']);
    expect(world.commits).toEqual(['outbox', 'outbox']);
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('and changes while it is posted, is posted again after one more commit', async () => {
    const gate = createGate();
    const rig = await start(async () => {
      await gate.pass();
      return POSTED;
    });
    await rig.ledger.announce(aRow('a', { details: 1 }));
    await rig.ledger.announce(aRow('a', { details: 2 }));
    gate.open();
    await eventually(() => expect(rig.tried).toHaveLength(2));
    await rig.outbox.drain();
    expect(rig.tried.map(({ details }) => details)).toEqual([1, 2]);
    expect(rig.world.commits).toHaveLength(4);
    expect(await rig.ledger.nextDueAt()).toBeUndefined();
  });

  test('and arrives together with others is noted in one commit with them', async () => {
    const gate = createGate();
    const rig = await start(async () => {
      await gate.pass();
      return POSTED;
    });
    await announceAll(rig, ['a', 'b', 'c']);
    await eventually(() => expect(rig.tried).toHaveLength(3));
    gate.open();
    await rig.outbox.drain();
    expect(rig.world.commits).toEqual(['outbox states', 'outbox']);
    expect(await rig.ledger.nextDueAt()).toBeUndefined();
  });

  test('and arrives is noted though another one hangs', async () => {
    const rig = await start(async ({ id }) => (id === 'slow' ? NEVER : POSTED));
    await announceAll(rig, ['slow', 'quick']);
    await eventually(() => expect(rig.world.commits).toEqual(['outbox states', 'outbox']));
  });

  test('while it drains waits for others; rows that were due before are posted', async () => {
    const gate = createGate();
    const rig = await start(async () => {
      await gate.pass();
      return POSTED;
    });
    const before = rig.ledger.announce(aRow('before'));
    const drained = rig.outbox.drain();
    await before;
    await rig.ledger.announce(aRow('after'));
    gate.open();
    await drained;
    expect(rig.tries()).toEqual(['before']);
    expect(await rig.ledger.takeDue('t', 1000)).toMatchObject({ id: 'after', attempts: 0 });
  });
});

describe('a bot that dies', () => {
  test.each([
    { when: 'after the commit, before the post', deliver: () => NEVER },
    { when: 'after the post, before that is noted', deliver: async () => POSTED },
  ])('$when: the next one posts it', async ({ deliver }) => {
    const dead = await start(deliver);
    dead.tap.intercept('markPosted', () => () => NEVER);
    await dead.ledger.announce(aRow('a'));
    await eventually(() => expect(dead.tries()).toEqual(['a']));
    const next = await start(async () => POSTED, dead.world);
    next.outbox.wake();
    await eventually(() => expect(next.tries()).toEqual(['a']));
    await next.outbox.drain();
    expect(await next.ledger.nextDueAt()).toBeUndefined();
  });
});

describe.each(ENGINES)('two bots on $engine', ({ open }) => {
  test('post each message once, whichever made it due', async () => {
    const { one, other } = await open();
    const posted: string[] = [];
    const outboxes = [one, other].map(({ ledger, log }, bot) =>
      startOutbox({
        ledger,
        log,
        async deliver({ id }) {
          posted.push(`${id} by ${bot}`);
          return POSTED;
        },
      }),
    );
    const ids = Array.from({ length: 30 }, (_, at) => at);
    await Promise.all(ids.map((at) => [one, other][at % 2]?.ledger.announce(aRow(`row-${at}`))));
    for (const outbox of outboxes) outbox.wake();
    await eventually(() => expect(posted).toHaveLength(ids.length));
    await Promise.all(outboxes.map((outbox) => outbox.drain()));
    // A bot without room leaves a row to the other bot.
    expect(new Set(posted.map((line) => line.split(' by ')[0])).size).toBe(ids.length);
    expect(await one.ledger.nextDueAt()).toBeUndefined();
  });

  test('and one announces a row that the other is posting: the other posts it again', async () => {
    const { one, other } = await open();
    const gate = createGate();
    const posted: string[] = [];
    const outboxes = [one, other].map(({ ledger, log }, bot) =>
      startOutbox({
        ledger,
        log,
        async deliver({ details }) {
          posted.push(`${details} by ${bot}`);
          await gate.pass();
          return POSTED;
        },
      }),
    );
    await one.ledger.announce(aRow('a', { details: 'first' }));
    await other.ledger.announce(aRow('a', { details: 'then' }));
    gate.open();
    await eventually(() => expect(posted).toEqual(['first by 0', 'then by 0']));
    await Promise.all(outboxes.map((outbox) => outbox.drain()));
    expect(await other.ledger.nextDueAt()).toBeUndefined();
  });
});

describe('a store whose commit fails', () => {
  /** An outbox on a store whose first commit fails. If `isWritten`, the store has written it all the same. */
  function startOn(isWritten: boolean) {
    const engine = createMemoryEngine(handClock().now);
    let failures = 1;
    const steps = createSteps({
      ...engine,
      async commit(...asked) {
        failures -= 1;
        if (failures < 0) return engine.commit(...asked);
        if (isWritten) await engine.commit(...asked);
        throw new StoreTroubleError('late', 'no answer');
      },
    });
    const ledger = createLedger(steps, LIMITS);
    const posted: string[] = [];
    const outbox = startOutbox({
      ledger,
      log: pino({ level: 'silent' }),
      async deliver({ id }) {
        posted.push(id);
        return POSTED;
      },
    });
    return { ledger, outbox, posted };
  }

  test('and was written all the same: the message is posted once, long before its lease ends', async () => {
    const { ledger, outbox, posted } = startOn(true);
    await expect(ledger.announce(aRow('a'))).rejects.toThrow('no answer');
    expect(posted).toEqual([]);
    await eventually(() => expect(posted).toEqual(['a']));
    await outbox.drain();
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('and was not written: nothing is posted until it is announced again', async () => {
    const { ledger, outbox, posted } = startOn(false);
    await expect(ledger.announce(aRow('a'))).rejects.toThrow('no answer');
    await ledger.announce(aRow('b'));
    await eventually(() => expect(posted).toEqual(['b']));
    await ledger.announce(aRow('a'));
    await eventually(() => expect(posted).toEqual(['b', 'a']));
    await outbox.drain();
    expect(await ledger.nextDueAt()).toBeUndefined();
  });
});
