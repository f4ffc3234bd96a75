import { expect, test } from 'vitest';
import { STALE_AFTER_MS, UNATTENDED_MS } from '../../src/ledger/model/send-states.ts';
import {
  aJob,
  aSingle,
  confirmed,
  forJobs,
  forSingles,
  freshToken,
  inFlight,
  LIMITS,
  neverStarted,
  type OpenLedger,
  SENT,
  startRig,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';

export function takeContract(open: OpenLedger): void {
  test('the intent says who acts, for whom, and until when', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const { chunk, token } = await taken(ledger);
    expect(chunk).toMatchObject({
      send: 's1',
      index: 0,
      state: 'sending',
      attempt: 1,
      token,
      account: 'a1',
      deadline: clock.now() + LIMITS.leaseMs,
    });
    expect(await ledger.chunks('s1')).toEqual([chunk]);
    const next = await reopen();
    expect((await next.chunks('s1'))[0]).toMatchObject({ attempt: 1, token, deadline: chunk.deadline });
  });

  test('texts that could begin by a moment are passed over, and wait for a key that rests', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    await confirmed(ledger, aSingle('old'));
    const skipTextsUntil = clock.now();
    expect(await ledger.take({ ...forSingles(), skipTextsUntil })).toEqual({ kind: 'idle' });
    clock.advance(1);
    await confirmed(ledger, aSingle('new'));
    expect(await ledger.take({ ...forSingles(), skipTextsUntil })).toMatchObject({ send: { id: 'new' } });
    expect(await ledger.take({ ...forSingles(), skipTextsUntil })).toEqual({ kind: 'idle' });
    clock.advance(STALE_AFTER_MS);
    await ledger.recover();
    expect(await states(ledger, 'old')).toEqual(['pending']);
  });

  test('a chunk is handed out once, however many ask', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const answers = await Promise.all(Array.from({ length: 50 }, () => ledger.take(forSingles())));
    expect(answers.filter((answer) => answer.kind === 'taken')).toHaveLength(1);
    expect(answers.filter((answer) => answer.kind === 'idle')).toHaveLength(49);
  });

  test('without a permit there is no intent, and without a chunk no permit is spent', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({ kind: 'taken' });
    await confirmed(ledger, aSingle('s1'));
    expect((await ledger.take(forSingles())).kind).toBe('wait');
    expect((await ledger.chunks('s1'))[0]).toMatchObject({ state: 'pending', attempt: 0 });
    clock.advance(LIMITS.leaseMs + LIMITS.windowMs + 60);
    expect((await taken(ledger)).send.id).toBe('s1');
  });

  test('a take that comes again with the same token gets the same attempt and one permit', async () => {
    const { ledger, clock } = await startRig(open, { permits: 2 });
    await confirmed(ledger, aSingle('s1'));
    await confirmed(ledger, aSingle('s2'));
    const request = forSingles();
    const first = await ledger.take(request);
    clock.advance(10);
    expect(await ledger.take(request)).toEqual(first);
    expect((await taken(ledger)).send.id).toBe('s2');
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('wait');
  });

  test('a token whose attempt was given up takes nothing more', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const request = forSingles();
    await ledger.take(request);
    clock.advance(LIMITS.leaseMs);
    await ledger.recover();
    await confirmed(ledger, aSingle('s2'));
    await expect(ledger.take(request)).rejects.toThrow('this token has a permit already');
    expect((await ledger.chunks('s2'))[0]?.state).toBe('pending');
  });

  test('single sends are handed out in the order of their decisions', async () => {
    const { ledger, clock } = await startRig(open);
    for (const id of ['c', 'a', 'b']) await ledger.draft(aSingle(id));
    for (const id of ['b', 'c', 'a']) {
      clock.advance(1);
      await ledger.decide(id, { to: 'running', by: 'U1' });
    }
    const order = [await taken(ledger), await taken(ledger), await taken(ledger)];
    expect(order.map(({ send }) => send.id)).toEqual(['b', 'c', 'a']);
  });

  test('people’s requests get single sends and never a job’s chunk; background the other way round', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aSingle('single'));
    await confirmed(ledger, aJob('job', [1]));
    expect((await taken(ledger, forSingles())).send.id).toBe('single');
    expect((await ledger.take(forSingles())).kind).toBe('idle');
    expect((await taken(ledger, forJobs())).send.id).toBe('job');
    expect((await ledger.take(forJobs())).kind).toBe('idle');
  });

  test('an instance’s worker gets nothing of another instance', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    await confirmed(ledger, aJob('j1', [1]));
    expect(await ledger.take(forSingles({ instance: 'i2' }))).toEqual({ kind: 'idle' });
    expect(await ledger.take(forJobs({ instance: 'i2' }))).toEqual({ kind: 'idle' });
    expect(await ledger.instancesWithWork('interactive')).toEqual([{ team: 'T1', instance: 'i1' }]);
  });

  test('jobs take turns by chunk: the least recently served is next', async () => {
    const { ledger, clock } = await startRig(open);
    for (const id of ['j1', 'j2', 'j3']) await confirmed(ledger, aJob(id, [1, 1, 1]));
    const order: string[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      clock.advance(1);
      const { ref } = await taken(ledger, forJobs());
      order.push(`${ref.send}.${ref.index}`);
    }
    for (const round of [0, 1, 2]) {
      expect(order.slice(round * 3, round * 3 + 3).sort()).toEqual([
        `j1.${round}`,
        `j2.${round}`,
        `j3.${round}`,
      ]);
    }
  });

  test('a later job waits one turn, not for the whole job before it', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('long', [1, 1, 1, 1, 1, 1]));
    for (let turn = 0; turn < 3; turn += 1) {
      clock.advance(1);
      await taken(ledger, forJobs());
    }
    await confirmed(ledger, aJob('short', [1]));
    clock.advance(1);
    expect((await taken(ledger, forJobs())).send.id).toBe('short');
  });

  test('a chunk that waits is not taken before its time, and the answer names that time', async () => {
    const { ledger, clock } = await startRig(open);
    const attempt = await inFlight(ledger, 's1');
    await ledger.settle(attempt.ref, attempt.token, neverStarted(700));
    expect(await ledger.take(forSingles())).toEqual({ kind: 'wait', until: clock.now() + 700 });
    clock.advance(699);
    expect((await ledger.take(forSingles())).kind).toBe('wait');
    clock.advance(1);
    const again = await taken(ledger);
    expect(again.chunk).toMatchObject({ attempt: 2, token: again.token });
    expect(again.token).not.toBe(attempt.token);
  });

  test('among several that wait, the earliest time is named: singles', async () => {
    const { ledger, clock } = await startRig(open);
    const older = await inFlight(ledger, 'older');
    clock.advance(1);
    const newer = await inFlight(ledger, 'newer');
    await ledger.settle(older.ref, older.token, neverStarted(5000));
    await ledger.settle(newer.ref, newer.token, neverStarted(300));
    expect(await ledger.take(forSingles())).toEqual({ kind: 'wait', until: clock.now() + 300 });
    clock.advance(300);
    expect((await taken(ledger)).send.id).toBe('newer');
  });

  test('among several that wait, the earliest time is named: chunks of jobs', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 1]));
    const first = await taken(ledger, forJobs());
    const second = await taken(ledger, forJobs());
    await ledger.settle(first.ref, first.token, neverStarted(5000));
    await ledger.settle(second.ref, second.token, neverStarted(300));
    await confirmed(ledger, aJob('j2', [1]));
    const other = await taken(ledger, forJobs());
    await ledger.settle(other.ref, other.token, neverStarted(400));
    expect(await ledger.take(forJobs())).toEqual({ kind: 'wait', until: clock.now() + 300 });
    clock.advance(400);
    const next = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    expect(next.map(({ ref }) => `${ref.send}.${ref.index}`).sort()).toEqual(['j1.1', 'j2.0']);
  });

  test('a waiting send does not hold up the others', async () => {
    const { ledger } = await startRig(open);
    const waiting = await inFlight(ledger, 'waiting');
    await ledger.settle(waiting.ref, waiting.token, neverStarted(5000));
    await confirmed(ledger, aSingle('free'));
    expect((await taken(ledger)).send.id).toBe('free');
  });

  test('a job has eight requests in flight at most at first', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', Array(12).fill(1)));
    const inFlight = [];
    for (let i = 0; i < 8; i += 1) inFlight.push(await taken(ledger, forJobs()));
    const full = await ledger.take(forJobs());
    expect(full.kind).toBe('wait');
    if (full.kind === 'wait') expect(full.until).toBeGreaterThan(clock.now());
    const [first] = inFlight;
    if (first) await ledger.settle(first.ref, first.token, neverStarted());
    await taken(ledger, forJobs());
    expect((await ledger.take(forJobs())).kind).toBe('wait');
  });

  test('a full job does not hold up another job', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('full', Array(10).fill(1)));
    for (let i = 0; i < 8; i += 1) await taken(ledger, forJobs());
    await confirmed(ledger, aJob('other', [1]));
    expect((await taken(ledger, forJobs())).send.id).toBe('other');
  });

  test('a job that nobody worked on for 15 minutes is not taken, until it was resumed', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const begun = clock.now();
    await confirmed(ledger, aJob('j1', [1, 1, 1]));
    clock.advance(UNATTENDED_MS);
    const first = await taken(ledger, forJobs());
    const since = clock.now();
    expect(since - begun).toBe(UNATTENDED_MS);
    await ledger.settle(first.ref, first.token, SENT);
    clock.advance(UNATTENDED_MS + 1);
    const request = forJobs();
    expect(await (await reopen()).take(request)).toMatchObject({
      kind: 'unattended',
      since,
      send: { id: 'j1' },
    });
    await ledger.pause('j1', 'away');
    expect(await ledger.take(request)).toEqual({ kind: 'idle' });
    await ledger.resume('j1');
    expect(await ledger.take(request)).toMatchObject({ kind: 'taken', send: { id: 'j1' } });
  });

  test('a job with times from the future, as after a clock was set back, is not taken either', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 1]));
    await taken(ledger, forJobs());
    clock.advance(-UNATTENDED_MS - 1);
    expect(await ledger.take(forJobs())).toMatchObject({ kind: 'unattended' });
  });

  test('a paused or stopped send gives nothing', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 1]));
    await ledger.pause('j1', 'person');
    expect(await ledger.take(forJobs())).toEqual({ kind: 'idle' });
    await ledger.resume('j1');
    const attempt = await taken(ledger, forJobs());
    await ledger.stop('j1');
    expect(await ledger.take(forJobs())).toEqual({ kind: 'idle' });
    await ledger.settle(attempt.ref, attempt.token, SENT);
    expect(await states(ledger, 'j1')).toEqual(['sent', 'cancelled']);
  });
}
