import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
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
  MARGIN_MS,
  neverStarted,
  resumedAfterAbsence,
  states,
  taken,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { openInMemory } from './ledger-rigs.ts';

describe('the wall clock was set back a day between two runs', () => {
  const DAY = 86_400_000;

  async function setBack(before: (ledger: Ledger) => Promise<unknown>, byMs = DAY) {
    const clock = handClock();
    const rig = await openInMemory({ clock, limits: { ...LIMITS, permits: 1 } });
    onTestFinished(() => rig.close());
    await before(rig.ledger);
    clock.advance(-byMs);
    return { clock, ledger: await rig.reopen() };
  }

  test('no permit outlives a lease, a window and a time-out', async () => {
    const { ledger, clock } = await setBack((first) => first.permit('k1', 'interactive', freshToken()));
    const longest = LIMITS.leaseMs + LIMITS.windowMs + MARGIN_MS + LIMITS.timeoutMs;
    const until = clock.now() + longest;
    for (const afterMs of [0, 1000]) {
      clock.advance(afterMs);
      expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({ kind: 'wait', until });
    }
    clock.advance(longest);
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({ kind: 'taken' });
  });

  test('a confirmed single send is given up: how long ago it was confirmed is not known', async () => {
    const { ledger } = await setBack((first) => confirmed(first, aSingle('s1')));
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('a job that waits to be undone does so for as long as at first', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await first.draft(aJob('j1', [1]));
      await first.decide('j1', { to: 'running', by: 'U1', startsInMs: 10_000 });
    });
    expect((await ledger.find('j1'))?.startsAt).toBe(clock.now() + 10_000);
  });

  test('a draft is expired for the same reason', async () => {
    const { ledger } = await setBack((first) => first.draft(aSingle('s1')));
    expect(await ledger.decide('s1', { to: 'running', by: 'U1' })).toMatchObject({ why: 'expired' });
  });

  test.each([
    ['in flight', (first: Ledger) => inFlight(first, 's1')],
    ['unknown', (first: Ledger) => unknownSingle(first, 's1')],
  ])('what was %s can be resent and judged after a lease', async (_state, before) => {
    const { ledger, clock } = await setBack(before);
    expect((await ledger.chunks('s1'))[0]?.state).toBe('unknown');
    clock.advance(LIMITS.leaseMs);
    expect((await ledger.markBalanceRead('a1')).idle).toBe(true);
    await ledger.draft(aSingle('s2', { resends: { send: 's1', indexes: [0] } }));
    expect((await ledger.decide('s2', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a chunk that waits does so ten minutes at most', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('j1', [1]));
      const { ref, token } = await taken(first, forJobs());
      await first.settle(ref, token, neverStarted(60_000));
    });
    clock.advance(600_000);
    await resumedAfterAbsence(ledger, 'j1');
    expect((await taken(ledger, forJobs())).send.id).toBe('j1');
  });

  test('a key rests ten minutes at most', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      const token = freshToken();
      await first.permit('k1', 'interactive', token);
      await first.returnPermit('k1', token, { restMs: 60_000 });
    });
    const until = clock.now() + 600_000;
    await confirmed(ledger, aSingle('s1'));
    for (const afterMs of [0, 1000]) {
      clock.advance(afterMs);
      expect(await ledger.take(forSingles())).toEqual({ kind: 'wait', until, rests: true });
    }
    clock.advance(600_000);
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({ kind: 'taken' });
  });

  test('rows that were due are posted now', async () => {
    const { ledger } = await setBack(async (first) => {
      await first.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
      await first.announce({ id: 'r2', topic: 'receipt', subject: 's2', details: null });
      const token = freshToken();
      const row = await first.takeDue(token, 10_000);
      await first.postLater(row?.id ?? '', token, 5000);
    });
    expect((await drain(ledger)).sort()).toEqual(['r1', 'r2']);
  });

  test('a spaced row waits for its spacing and no longer', async () => {
    const card = { id: 'card', topic: 'card', subject: 'j1', details: null, spacingMs: 3000 };
    const { ledger, clock } = await setBack(async (first) => {
      await first.announce(card);
      await drain(first);
      await first.announce(card);
    });
    expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
    clock.advance(3000);
    expect(await drain(ledger)).toEqual(['card']);
  });

  test('a row that is announced after that is posted too', async () => {
    const card = { id: 'card', topic: 'card', subject: 'j1', details: null, spacingMs: 3000 };
    const { ledger, clock } = await setBack(async (first) => {
      await first.announce(card);
      await drain(first);
    });
    await ledger.announce(card);
    expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
  });

  test('a running job waits for a person, and nobody reads an impossible time', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('j1', [1, 1]));
      await taken(first, forJobs());
    });
    const found = await ledger.take(forJobs());
    expect(found.kind).toBe('unattended');
    // A time before now would look like the time when somebody last worked on the job.
    if (found.kind === 'unattended') expect(found.since).toBeGreaterThan(clock.now());
  });

  test('a job that nobody had begun waits for a person, too, however little the clock was set back', async () => {
    const { ledger } = await setBack((first) => confirmed(first, aJob('j1', [1])), 60_000);
    expect((await ledger.take(forJobs())).kind).toBe('unattended');
  });

  test('a running job does not wait for a new one', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('old', [1, 1]));
      const { ref, token } = await taken(first, forJobs());
      await first.settle(ref, token, { to: 'pending', request: 'never_started', waitMs: 0 });
    });
    await resumedAfterAbsence(ledger, 'old');
    await confirmed(ledger, aJob('new', [1, 1, 1]));
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1);
      const { ref, token, send } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, { to: 'not_sent', request: 'never_started', result: null });
      order.push(send.id);
    }
    expect(order).toContain('old');
  });
});
