import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { UndecidedQuery } from '../../src/ledger/unknowns/list-unknowns.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  halved,
  inFlight,
  LIMITS,
  neverStarted,
  type OpenLedger,
  refused,
  resendOf,
  resumedAfterAbsence,
  SENT,
  startRig,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';

/** More sends than recovery looks at in one page. */
const MANY = 120;

export function recoveryContract(open: OpenLedger): void {
  test('what an old copy may hold waits, behind nothing else; then it ends as perhaps sent', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('text'));
    for (let draft = 0; draft < MANY; draft += 1) await ledger.draft(aSingle(`draft${draft}`));
    clock.advance(aSingle('any').expiresInMs + 1);
    await inFlight(ledger, 'lost');
    clock.advance(LIMITS.leaseMs);
    const left = await ledger.recover(({ id }) => (id === 'lost' ? undefined : 'wait'));
    expect(left).toHaveLength(MANY + 1);
    expect(await states(ledger, 'lost')).toEqual(['unknown']);
    expect(await states(ledger, 'text')).toEqual(['pending']);
    expect((await ledger.find('draft0'))?.state).toBe('draft');
    for (const _page of [1, 2]) expect(await ledger.recover(() => 'may_be_sent')).toEqual([]);
    expect(await ledger.find('text')).toMatchObject({ state: 'stopped' });
    expect(await states(ledger, 'text')).toEqual(['cancelled']);
    expect(await ledger.find(`draft${MANY - 1}`)).toMatchObject({ state: 'expired', mayBeSent: true });
  });

  test('an attempt past its deadline is unknown, not a moment sooner, and announces its send', async () => {
    const { ledger, clock } = await startRig(open);
    await inFlight(ledger, 's1', { topics: ['receipt'] });
    clock.advance(29_999);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['sending']);
    clock.advance(1);
    await ledger.recover();
    expect((await ledger.chunks('s1'))[0]).toMatchObject({
      state: 'unknown',
      settledAt: clock.now(),
    });
    expect((await ledger.find('s1'))?.state).toBe('finished');
    await ledger.recover();
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
  });

  test('an answer after its deadline still counts, whether or not it was recovered', async () => {
    const { ledger, clock } = await startRig(open);
    const before = await inFlight(ledger, 'before');
    const after = await inFlight(ledger, 'after');
    clock.advance(31_000);
    await ledger.settle(before.ref, before.token, SENT);
    await ledger.recover();
    await ledger.settle(after.ref, after.token, SENT);
    expect(await states(ledger, 'before')).toEqual(['sent']);
    expect(await states(ledger, 'after')).toEqual(['sent']);
  });

  test('a refused list whose answer comes after recovery pauses its job and says why it is unknown, once', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2, 2, 2]));
    const { ref, token } = await taken(ledger, forJobs());
    clock.advance(31_000);
    await ledger.recover();
    const refusal: Settlement = {
      to: 'unknown',
      request: 'answered',
      result: { cause: 'list_refused' },
      pause: 'list_refused',
    };
    expect(await ledger.settle(ref, token, refusal)).toMatchObject({
      settled: true,
      send: { state: 'paused' },
    });
    expect(await ledger.find('j1')).toMatchObject({ state: 'paused', pauseReason: 'list_refused' });
    const [chunk] = await ledger.chunks('j1');
    expect(chunk).toMatchObject({ state: 'unknown', result: { cause: 'list_refused' } });
    expect(chunk?.settledAt).toBe(clock.now());

    await ledger.resume('j1');
    expect((await ledger.settle(ref, token, refusal)).settled).toBe(true);
    expect((await ledger.find('j1'))?.state).toBe('running');
    expect(await states(ledger, 'j1')).toEqual(['unknown', 'pending', 'pending']);
  });

  test('after the next start nothing is in flight: such chunks are unknown at once, and announced', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const { ref, token, chunk } = await inFlight(ledger, 's1', { topics: ['receipt'] });
    await confirmed(ledger, aJob('j1', [2, 3]));
    await taken(ledger, forJobs());
    clock.advance(10);
    const next = await reopen();
    expect((await next.chunks('s1'))[0]).toMatchObject({ state: 'unknown', deadline: chunk.deadline });
    expect(await states(next, 'j1')).toEqual(['unknown', 'pending']);
    expect(await drain(next)).toEqual(['receipt:s1']);
    expect((await next.unknowns()).map(({ send }) => send.id).sort()).toEqual(['j1', 's1']);
    expect((await taken(next, forJobs())).ref).toEqual({ send: 'j1', index: 1 });
    expect((await next.settle(ref, token, SENT)).settled).toBe(true);
  });

  test('chunks that a dead process left unknown are not resent before their deadline', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const { ref } = await inFlight(ledger, 's1');
    const next = await reopen();
    await next.draft(aSingle('again', { resends: resendOf(ref) }));
    expect(await next.decide('again', { to: 'running', by: 'U1' })).toMatchObject({ why: 'too_early' });
    clock.advance(30_000);
    expect((await next.decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a confirmed single send goes on after a quick restart, and is given up ten seconds after the decision', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await confirmed(ledger, aSingle('quick'));
    clock.advance(9_999);
    const second = await reopen();
    expect((await taken(second)).send.id).toBe('quick');
    await confirmed(second, aSingle('slow', { topics: ['receipt'] }));
    clock.advance(10_000);
    const third = await reopen();
    expect((await third.chunks('slow'))[0]).toMatchObject({
      state: 'not_sent',
    });
    expect((await third.find('slow'))?.state).toBe('finished');
    expect(await drain(third)).toEqual(['receipt:slow']);
    expect(await third.take(forSingles())).toEqual({ kind: 'idle' });
  });

  test('a single send past its time is not taken even before recover says so', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    clock.advance(10_000);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('a service that cannot be reached gets ten seconds in all', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    for (let i = 0; i < 3; i += 1) {
      const { ref, token } = await taken(ledger);
      await ledger.settle(ref, token, neverStarted(3000));
      clock.advance(3000);
    }
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['pending']);
    clock.advance(1000);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('waiting for a 429 is no reason to give a single send up; ten minutes are', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const decided = clock.now();
    const first = await taken(ledger);
    await ledger.settle(first.ref, first.token, refused(60_000));
    clock.advance(60_000);
    await ledger.recover();
    const second = await taken(ledger);
    await ledger.settle(second.ref, second.token, refused(3_600_000));
    clock.set(decided + 599_999);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['pending']);
    clock.advance(1);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('nor is waiting for a permit', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    const blocker = freshToken();
    await ledger.permit('k1', 'interactive', blocker);
    await ledger.returnPermit('k1', blocker, 'answered');
    await confirmed(ledger, aSingle('s1'));
    const wait = await ledger.take(forSingles());
    expect(wait).toEqual({ kind: 'wait', until: clock.now() + 60_060 });
    clock.advance(60_060);
    await ledger.recover();
    expect((await taken(ledger)).send.id).toBe('s1');
  });

  test('a single send past its time gets no more of it when another one waits, for a permit or after a 429', async () => {
    for (const isRefused of [true, false]) {
      const { ledger, clock } = await startRig(open, { permits: 1 });
      await confirmed(ledger, aSingle('lost'));
      clock.advance(10_000);
      await confirmed(ledger, aSingle('next'));
      const { ref, token, send } = await taken(ledger);
      expect(send.id).toBe('next');
      await ledger.settle(ref, token, isRefused ? refused(60_000) : neverStarted(0));
      if (!isRefused) await ledger.permit('k1', 'interactive', freshToken());
      expect(await ledger.take(forSingles())).toMatchObject({ kind: 'wait' });
      await ledger.recover();
      expect(await states(ledger, 'lost')).toEqual(['not_sent']);
      expect(await states(ledger, 'next')).toEqual(['pending']);
    }
  });

  test('a job is not given up: it waits for the next bot', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1]));
    clock.advance(86_400_000);
    const next = await reopen();
    await next.recover();
    await resumedAfterAbsence(next, 'j1');
    expect((await taken(next, forJobs())).send.id).toBe('j1');
  });

  test('drafts expire', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('old', { expiresInMs: 1000 }));
    await ledger.draft(aSingle('young', { expiresInMs: 1001 }));
    clock.advance(1000);
    await ledger.recover();
    expect(await ledger.find('old')).toMatchObject({ state: 'expired', endedAt: clock.now() });
    expect((await ledger.find('young'))?.state).toBe('draft');
  });

  test.each([
    ['by its time', async (ledger) => ledger.recover()],
    ['by a decision that comes too late', async (ledger) => ledger.decide('d1', { to: 'running', by: 'U1' })],
    ['because its place is unlinked', async (ledger) => ledger.expireDrafts('T1', 'C1')],
  ] as [string, (ledger: Ledger) => Promise<unknown>][])(
    'an expired draft is told, once: %s',
    async (_how, expire) => {
      const { ledger, clock } = await startRig(open);
      await ledger.draft(aSingle('d1', { expiresInMs: 1000, topics: ['receipt'] }));
      await ledger.draft(aJob('cancelled', [1], { topics: ['card'] }));
      await ledger.decide('cancelled', { to: 'cancelled', by: 'U1' });
      clock.advance(1000);
      await expire(ledger);
      expect((await ledger.find('d1'))?.state).toBe('expired');
      expect(await drain(ledger)).toEqual(['receipt:d1']);
      await expire(ledger);
      await ledger.recover();
      expect(await drain(ledger)).toEqual([]);
    },
  );

  test('a stopped send’s lost attempt is unknown and ends it', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 1], { topics: ['card'] }));
    await taken(ledger, forJobs());
    await ledger.stop('j1');
    clock.advance(30_000);
    await ledger.recover();
    expect(await states(ledger, 'j1')).toEqual(['unknown', 'cancelled']);
    expect((await ledger.find('j1'))?.state).toBe('stopped');
    expect(await drain(ledger)).toEqual(['card:j1']);
  });

  test('lost halves of a chunk are unknown, and none of their messages counts as open', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2]));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, halved(chunk.messages));
    await taken(ledger, forJobs());
    await taken(ledger, forJobs());
    clock.advance(LIMITS.leaseMs);
    await ledger.recover();
    expect(await states(ledger, 'j1')).toEqual(['split', 'unknown', 'unknown']);
    expect((await ledger.find('j1'))?.state).toBe('finished');
  });

  test('unknowns are listed oldest first, by team if asked', async () => {
    const { ledger, clock } = await startRig(open);
    for (const [id, team] of [
      ['s3', 'T1'],
      ['s1', 'T2'],
      ['s2', 'T1'],
    ] as const) {
      const { ref, token } = await inFlight(ledger, id, { team });
      clock.advance(1);
      await ledger.settle(ref, token, { to: 'unknown', request: 'unanswered', result: null });
    }
    expect((await ledger.unknowns()).map(({ chunk }) => chunk.send)).toEqual(['s3', 's1', 's2']);
    expect((await ledger.unknowns('T1')).map(({ send }) => send.id)).toEqual(['s3', 's2']);
    const idsOf = async (query: Omit<UndecidedQuery, 'limit'>, limit = 10) =>
      (await ledger.undecided({ ...query, limit })).map(({ ref }) => ref.send);
    expect(await idsOf({ team: 'T1', kind: 'single' })).toEqual(['s2', 's3']);
    expect(await idsOf({ team: 'T1', kind: 'single' }, 1)).toEqual(['s2']);
    expect(await idsOf({ team: 'T1', kind: 'job' })).toEqual([]);
    expect(await idsOf({ team: 'T2', kind: 'single' })).toEqual(['s1']);
    expect(await idsOf({ team: 'T1', channelId: 'C1', kind: 'single' })).toEqual(['s2', 's3']);
    expect(await idsOf({ team: 'T1', channelId: 'C2', kind: 'single' })).toEqual([]);
    await ledger.saySent({ send: 's2', indexes: [0] }, 'U2');
    expect(await idsOf({ team: 'T1', kind: 'single' })).toEqual(['s3']);
  });

  test('everything decided, taken and settled is there on the next boot', async () => {
    const { ledger, reopen } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 2, 3], { details: { a: 1 } }));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, SENT);
    await ledger.pause('j1', 'person');
    const before = { send: await ledger.find('j1'), chunks: await ledger.chunks('j1') };
    const next = await reopen();
    expect({ send: await next.find('j1'), chunks: await next.chunks('j1') }).toEqual(before);
  });
}
