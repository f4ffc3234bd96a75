import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { LONGEST_POST_MS } from '../../src/ledger/outbox/rows-being-posted.ts';
import { createSteps } from '../../src/store/steps.ts';
import { eachEngine } from '../helpers/each-engine.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  handClock,
  inFlight,
  LIMITS,
  neverStarted,
  resendOf,
  resumedAfterAbsence,
  SENT,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

/** Somebody sets the store's clock back an hour while bots are at work. Nothing waits an hour for that. */

const HOUR_MS = 3_600_000;

eachEngine((open) => {
  async function start() {
    const clock = handClock();
    const engine = await open(clock);
    const boot = () => createLedger(createSteps(engine, 20_000), { ...LIMITS, permits: 100 });
    return { clock, boot };
  }

  test('a request in flight is unknown after a lease, an unknown text can be sent again, nothing is taken twice', async () => {
    const { clock, boot } = await start();
    await unknownSingle(boot(), 's1');
    const { ref, token } = await inFlight(boot(), 's2');
    const lost = await inFlight(boot(), 's3');
    clock.advance(-HOUR_MS);
    expect(await boot().clampTimes()).toBe(true);
    expect(await boot().take(forSingles())).toMatchObject({ kind: 'idle' });
    // Its bot is alive, so its answer counts.
    expect((await boot().settle(ref, token, SENT)).settled).toBe(true);
    await boot().recover();
    expect(await states(boot(), 's3')).toEqual(['sending']);
    clock.advance(LIMITS.leaseMs);
    await boot().recover();
    expect(await states(boot(), 's3')).toEqual(['unknown']);
    expect((await boot().settle(lost.ref, lost.token, SENT)).settled).toBe(true);
    await boot().draft(aSingle('again', { resends: { send: 's1', indexes: [0] } }));
    expect((await boot().decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a request in flight that gets no answer can be sent again, and judged, after a lease', async () => {
    const { clock, boot } = await start();
    const { ref, token } = await inFlight(boot(), 's1');
    clock.advance(-HOUR_MS);
    await boot().settle(ref, token, UNANSWERED);
    await boot().clampTimes();
    clock.advance(LIMITS.leaseMs);
    expect((await boot().markBalanceRead('a1')).idle).toBe(true);
    await boot().draft(aSingle('again', { resends: resendOf(ref) }));
    expect(await boot().decide('again', { to: 'running', by: 'U1' })).toMatchObject({ won: true });
  });

  test('requests in flight keep their order: each counts only the credits of those before it', async () => {
    const { clock, boot } = await start();
    const first = await inFlight(boot(), 'z');
    const second = await inFlight(boot(), 'a');
    const counted = async () =>
      Promise.all([first, second].map(async ({ ref }) => (await boot().funds('a1', ref)).inFlight));
    expect(await counted()).toEqual([0, 1]);
    clock.advance(-HOUR_MS);
    expect(await boot().clampTimes()).toBe(true);
    expect(await counted()).toEqual([0, 1]);
  });

  test('a chunk that waits is taken again', async () => {
    const { clock, boot } = await start();
    await confirmed(boot(), aJob('j1', [1]));
    const { ref, token } = await taken(boot(), forJobs());
    await boot().settle(ref, token, neverStarted(60_000));
    clock.advance(-HOUR_MS);
    await boot().clampTimes();
    clock.advance(600_000);
    await resumedAfterAbsence(boot(), 'j1');
    expect((await taken(boot(), forJobs())).send.id).toBe('j1');
  });

  test('rows are posted: at once if nobody posts them, after a minute if their poster is gone', async () => {
    const { clock, boot } = await start();
    await confirmed(boot(), aSingle('s1'));
    for (const id of ['r1', 'r2']) {
      await boot().announce({ id, topic: 'receipt', subject: id, details: null });
      const token = freshToken();
      const row = await boot().takeDue(token, 30_000);
      if (id === 'r1') await boot().postLater(row?.id ?? '', token, 5000);
    }
    clock.advance(-HOUR_MS);
    expect(await drain(boot())).toEqual([]);
    await boot().clampTimes();
    expect(await drain(boot())).toEqual(['r1']);
    clock.advance(60_000);
    expect(await drain(boot())).toEqual(['r2']);
  });

  test('a row that Slack refused is posted again, though nothing else is from the old time', async () => {
    const { clock, boot } = await start();
    const ledger = boot();
    await ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
    const token = freshToken();
    await ledger.takeDue(token, 30_000);
    await ledger.postLater('r1', token, 5000);
    expect(await ledger.clampTimes()).toBe(false);
    clock.advance(-HOUR_MS);
    expect(await ledger.clampTimes()).toBe(true);
    expect(await drain(ledger)).toEqual(['r1']);
  });

  test('an open Home is looked at again', async () => {
    const { clock, boot } = await start();
    const ledger = boot();
    await ledger.openHome({ team: 'T1', user: 'U1' });
    await ledger.clampTimes();
    clock.advance(-HOUR_MS);
    await ledger.clampTimes();
    expect(await ledger.takeDueHomes()).toEqual([{ team: 'T1', user: 'U1' }]);
    clock.advance(10_000);
    expect(await ledger.takeDueHomes()).toHaveLength(1);
  });

  test('a draft keeps its time, a text that nobody took is not sent', async () => {
    const { clock, boot } = await start();
    await boot().draft(aSingle('d1', { expiresInMs: 900_000 }));
    await confirmed(boot(), aSingle('s1'));
    clock.advance(-HOUR_MS);
    // Each look changes as much as one.
    for (let look = 0; look < 3; look += 1) await boot().clampTimes();
    clock.advance(10_000);
    await boot().recover();
    expect(await states(boot(), 's1')).toEqual(['not_sent']);
    expect((await boot().find('d1'))?.state).toBe('draft');
    clock.advance(890_000);
    await boot().recover();
    expect((await boot().find('d1'))?.state).toBe('expired');
  });

  test.each([
    { kind: 'text', send: aSingle('s1'), request: forSingles },
    { kind: 'list', send: aJob('s1', [1]), request: forJobs },
  ])(
    'a $kind waits to be undone for as long as at first, though the clock is set back twice',
    async ({ send, request }) => {
      const { clock, boot } = await start();
      const UNDO_MS = 30_000;
      await boot().draft(send);
      await boot().decide('s1', { to: 'running', by: 'U1', startsInMs: UNDO_MS });
      for (let times = 0; times < 2; times += 1) {
        clock.advance(-HOUR_MS);
        await boot().clampTimes();
        expect((await boot().find('s1'))?.startsAt).toBe(clock.now() + UNDO_MS);
        clock.advance(UNDO_MS - 1);
        await boot().recover();
        expect(await boot().take(request())).toMatchObject({ kind: 'wait' });
      }
      clock.advance(1);
      await boot().recover();
      expect((await taken(boot(), request())).send.id).toBe('s1');
    },
  );

  test('nothing changes while the clock is right, or a little off', async () => {
    const { clock, boot } = await start();
    await unknownSingle(boot(), 's1');
    await confirmed(boot(), aJob('j1', [1, 1]));
    await taken(boot(), forJobs());
    await boot().draft(aSingle('d1'));
    expect(await boot().clampTimes()).toBe(false);
    clock.advance(-2000);
    expect(await boot().clampTimes()).toBe(false);
  });

  test('a message whose bot died is posted by the next one to start, though nothing else is open', async () => {
    const { clock, boot } = await start();
    await boot().announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
    expect(await boot().takeDue('t1', LONGEST_POST_MS)).toMatchObject({ id: 'r1' });
    clock.advance(-HOUR_MS);
    const next = boot();
    expect(await next.clampTimes()).toBe(true);
    clock.advance(LONGEST_POST_MS);
    expect(await next.takeDue('t2', LONGEST_POST_MS)).toMatchObject({ id: 'r1' });
  });
});
