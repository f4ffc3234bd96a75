import { describe, expect, test } from 'vitest';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import {
  type Attempt,
  aJob,
  aPart,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  GARBLED,
  halved,
  inFlight,
  NOT_SENT,
  neverStarted,
  type OpenLedger,
  REJECTED,
  refused,
  resendOf,
  resolvedPerMessage,
  SENT,
  sentFor,
  splitInto,
  startRig,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

const ENDS: [string, Settlement][] = [
  ['sent', SENT],
  ['rejected', REJECTED],
  ['not_sent', NOT_SENT],
  ['unknown', UNANSWERED],
];

const GOING_ON: [string, (messages: LedgerMessage[]) => Settlement][] = [
  ['pending', () => neverStarted()],
  ['split', (messages) => halved(messages)],
];

const RESOLVED_PER_MESSAGE: [string, (messages: LedgerMessage[]) => Settlement] = [
  'split',
  ([first, ...rest]) => resolvedPerMessage([aPart('sent', [first as LedgerMessage]), aPart('unknown', rest)]),
];

export function attemptsContract(open: OpenLedger): void {
  test.each(ENDS)('an answer ends a single send as %s, with its words', async (state, settlement) => {
    const { ledger, clock } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1', { topics: ['receipt'] });
    clock.advance(500);
    const settled = await ledger.settle(ref, token, settlement);
    expect(settled).toMatchObject({
      settled: true,
      send: { state: 'finished', endedAt: clock.now() },
      chunk: { state, settledAt: clock.now() },
    });
    const [chunk] = await ledger.chunks('s1');
    expect(chunk?.state).toBe(state);
    expect('result' in settlement && chunk?.result).toEqual('result' in settlement && settlement.result);
    expect((await ledger.find('s1'))?.state).toBe('finished');
    expect((await ledger.take(forSingles())).kind).toBe('idle');
  });

  test('only the attempt’s own token counts', async () => {
    const { ledger } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    for (const [, settlement] of ENDS) {
      expect(await ledger.settle(ref, 'somebody else', settlement)).toEqual({ settled: false });
    }
    expect(await ledger.settle(ref, 'somebody else', neverStarted())).toEqual({ settled: false });
    expect(await states(ledger, 's1')).toEqual(['sending']);
    expect((await ledger.settle(ref, token, SENT)).settled).toBe(true);
  });

  test('the token of an earlier attempt is stale', async () => {
    const { ledger } = await startRig(open);
    const first = await inFlight(ledger, 's1');
    await ledger.settle(first.ref, first.token, neverStarted());
    const second = await taken(ledger);
    expect(await ledger.settle(first.ref, first.token, SENT)).toEqual({ settled: false });
    expect(await ledger.settle(first.ref, first.token, neverStarted())).toEqual({ settled: false });
    expect((await ledger.chunks('s1'))[0]).toMatchObject({ state: 'sending', token: second.token });
  });

  test('a chunk that was settled back to pending cannot be ended by the old attempt', async () => {
    const { ledger } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, neverStarted());
    expect(await ledger.settle(ref, token, SENT)).toEqual({ settled: false });
    expect(await states(ledger, 's1')).toEqual(['pending']);
  });

  test('a chunk that nobody took cannot be settled', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1]));
    expect(await ledger.settle({ send: 's1', index: 0 }, freshToken(), SENT)).toEqual({ settled: false });
  });

  test.each([
    ...ENDS.map(([state, settlement]) => [state, () => settlement] as (typeof GOING_ON)[number]),
    ...GOING_ON,
    RESOLVED_PER_MESSAGE,
  ])('the same settlement twice is like once: %s', async (state, settlementOf) => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [2, 1], { topics: ['card'] }));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    const settlement = settlementOf(chunk.messages);
    const rest = await taken(ledger, forJobs());
    await ledger.settle(rest.ref, rest.token, SENT);
    const first = await ledger.settle(ref, token, settlement);
    const before = {
      send: await ledger.find('s1'),
      chunks: await ledger.chunks('s1'),
      account: await ledger.account('a1'),
      announced: await drain(ledger),
    };
    const second = await ledger.settle(ref, token, settlement);
    expect(second).toEqual(first);
    expect(second.settled && second.chunk.state).toBe(state);
    expect(await ledger.find('s1')).toEqual(before.send);
    expect(await ledger.chunks('s1')).toEqual(before.chunks);
    expect(await ledger.account('a1')).toEqual(before.account);
    expect(await drain(ledger)).toEqual([]);
  });

  test('a split that was applied is confirmed when asked again after a stop', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [2]));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, halved(chunk.messages));
    await ledger.stop('s1');
    expect((await ledger.settle(ref, token, halved(chunk.messages))).settled).toBe(true);
    expect(await states(ledger, 's1')).toEqual(['split', 'cancelled', 'cancelled']);
  });

  test.each([
    ['sent', SENT],
    ['rejected', REJECTED],
    ['not_sent', NOT_SENT],
  ] as const)('a late truthful answer is taken over unknown: %s', async (state, settlement) => {
    const { ledger, clock } = await startRig(open);
    const { ref, token } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    clock.advance(3_600_000);
    expect((await ledger.settle(ref, token, settlement)).settled).toBe(true);
    expect(await states(ledger, 's1')).toEqual([state]);
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    expect((await ledger.find('s1'))?.state).toBe('finished');
  });

  test('nothing leads from unknown back to pending or split', async () => {
    const { ledger } = await startRig(open);
    const { ref, token, chunk } = await unknownSingle(ledger, 's1');
    const mayGoAgain = splitInto([chunk.messages], { otherwise: refused(1000) });
    for (const settlement of [neverStarted(), refused(1000), mayGoAgain]) {
      expect(await ledger.settle(ref, token, settlement)).toEqual({ settled: false });
    }
    expect(await states(ledger, 's1')).toEqual(['unknown']);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
  });

  test('a late answer that would split its chunk gives its outcome, and no part of it is sent again', async () => {
    const { ledger } = await startRig(open);
    const { ref, token, chunk } = await unknownSingle(ledger, 's1');
    const split = splitInto([chunk.messages], { otherwise: REJECTED });
    expect((await ledger.settle(ref, token, split)).settled).toBe(true);
    expect(await states(ledger, 's1')).toEqual(['rejected']);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
  });

  test('a late answer needs the attempt’s token too', async () => {
    const { ledger } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 's1');
    expect(await ledger.settle(ref, 'somebody else', SENT)).toEqual({ settled: false });
    expect(await states(ledger, 's1')).toEqual(['unknown']);
  });

  test('no final state is changed by a second answer', async () => {
    const { ledger } = await startRig(open);
    for (const [name, settlement] of ENDS.slice(0, 3)) {
      const { ref, token } = await inFlight(ledger, name);
      await ledger.settle(ref, token, settlement);
      for (const [other, second] of ENDS) {
        if (other !== name) expect((await ledger.settle(ref, token, second)).settled).toBe(false);
      }
      expect(await states(ledger, name)).toEqual([name]);
    }
  });

  test('after a late answer and a resend, both attempts can be seen', async () => {
    const { ledger, clock } = await startRig(open);
    const first = await unknownSingle(ledger, 'first');
    clock.advance(30_000);
    const again = await inFlight(ledger, 'again', { resends: resendOf(first.ref) });
    await ledger.settle(first.ref, first.token, SENT);
    await ledger.settle(again.ref, again.token, SENT);
    expect((await ledger.chunks('first'))[0]).toMatchObject({ state: 'sent', resentAs: 'again' });
    expect(await states(ledger, 'again')).toEqual(['sent']);
  });

  test.each(GOING_ON)('in a stopped send a chunk is cancelled, not %s', async (_to, settlementOf) => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [2], { topics: ['card'] }));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.stop('s1');
    expect(await ledger.settle(ref, token, settlementOf(chunk.messages))).toMatchObject({
      settled: true,
      chunk: { state: 'cancelled' },
      send: { state: 'stopped' },
    });
    expect(await states(ledger, 's1')).toEqual(['cancelled']);
    expect(await drain(ledger)).toEqual(['card:s1']);
  });

  test.each(ENDS)('in a stopped send an answer still counts: %s', async (state, settlement) => {
    const { ledger } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.stop('s1');
    await ledger.settle(ref, token, settlement);
    expect(await states(ledger, 's1')).toEqual([state]);
    expect((await ledger.find('s1'))?.state).toBe('stopped');
  });

  test('429 answers are counted in a row', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1]));
    for (const count of [1, 2]) {
      const { ref, token } = await taken(ledger, forJobs());
      const settled = await ledger.settle(ref, token, refused(100));
      expect(settled.settled && settled.chunk.refusals).toBe(count);
      clock.advance(100);
    }
    const { ref, token } = await taken(ledger, forJobs());
    const settled = await ledger.settle(ref, token, neverStarted());
    expect(settled.settled && settled.chunk.refusals).toBe(0);
  });

  test('an answer can pause its job in the same step; a single send is not paused by it', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('job', [1, 1]));
    const chunk = await taken(ledger, forJobs());
    const pause: Settlement = { to: 'pending', request: 'answered', waitMs: 0, pause: 'key' };
    expect(await ledger.settle(chunk.ref, chunk.token, pause)).toMatchObject({
      send: { state: 'paused', pauseReason: 'key' },
      chunk: { state: 'pending' },
    });
    expect((await ledger.take(forJobs())).kind).toBe('idle');
    const single = await inFlight(ledger, 'single');
    expect(await ledger.settle(single.ref, single.token, pause)).toMatchObject({
      send: { state: 'running' },
    });
  });

  test.each(['rejected', 'unknown'] as const)('%s can pause its job in the same step, too', async (to) => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('job', [2, 2]));
    const chunk = await taken(ledger, forJobs());
    const pause: Settlement = { to, request: 'answered', result: { why: to }, pause: 'refused' };
    expect(await ledger.settle(chunk.ref, chunk.token, pause)).toMatchObject({
      send: { state: 'paused', pauseReason: 'refused' },
      chunk: { state: to },
    });
    expect((await ledger.take(forJobs())).kind).toBe('idle');
  });

  test('a job ends with its last chunk, and its topics become due once', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1, 1, 1], { topics: ['card', 'line'] }));
    const attempts = [];
    for (let i = 0; i < 3; i += 1) attempts.push(await taken(ledger, forJobs()));
    for (const [i, { ref, token }] of attempts.entries()) {
      expect(await drain(ledger)).toEqual([]);
      await ledger.settle(ref, token, SENT);
      expect((await ledger.find('s1'))?.state).toBe(i === 2 ? 'finished' : 'running');
    }
    expect((await drain(ledger)).sort()).toEqual(['card:s1', 'line:s1']);
  });

  test('a late answer in a running job announces nothing; after the job’s end, it announces each change once', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1, 1, 1], { topics: ['card'] }));
    const a = await taken(ledger, forJobs());
    const b = await taken(ledger, forJobs());
    const c = await taken(ledger, forJobs());
    await ledger.settle(a.ref, a.token, UNANSWERED);
    await ledger.settle(a.ref, a.token, SENT);
    expect(await drain(ledger)).toEqual([]);
    await ledger.settle(b.ref, b.token, UNANSWERED);
    await ledger.settle(c.ref, c.token, SENT);
    expect(await drain(ledger)).toEqual(['card:s1']);
    await ledger.settle(b.ref, b.token, SENT);
    await ledger.settle(b.ref, b.token, SENT);
    expect(await drain(ledger)).toEqual(['card:s1']);
  });

  test('a paused job whose last answer arrives is finished', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1]));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.pause('s1', 'person');
    await ledger.settle(ref, token, SENT);
    const send = await ledger.find('s1');
    expect(send?.state).toBe('finished');
    expect(send?.pauseReason).toBeUndefined();
  });

  test('a split chunk’s children carry its messages on, and it counts as no outcome', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [4, 1]));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    const children = [chunk.messages.slice(0, 2), chunk.messages.slice(2)];
    await ledger.settle(ref, token, splitInto(children));
    const chunks = await ledger.chunks('s1');
    expect(chunks.map(({ index, parent, state }) => ({ index, parent, state }))).toEqual([
      { index: 0, parent: undefined, state: 'split' },
      { index: 1, parent: undefined, state: 'pending' },
      { index: 2, parent: 0, state: 'pending' },
      { index: 3, parent: 0, state: 'pending' },
    ]);
    expect(chunks.slice(2).map((child) => child.messages)).toEqual(children);
    expect((await ledger.tally('s1')).states.split).toEqual({ chunks: 1, messages: 4 });
    for (let i = 0; i < 3; i += 1) {
      const next = await taken(ledger, forJobs());
      await ledger.settle(next.ref, next.token, SENT);
    }
    expect((await ledger.tally('s1')).states.sent).toEqual({ chunks: 3, messages: 5 });
    expect((await ledger.find('s1'))?.state).toBe('finished');
  });

  test('messages that are left out of a chunk are not sent, and the others go on', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [4]));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    const [first, ...others] = chunk.messages;
    if (!first) throw new Error('the chunk is empty');
    const leftOut = [{ messages: [first], result: { cause: 'opted_out' } }];
    const split: Settlement = {
      to: 'split',
      request: 'never_started',
      children: [others],
      leftOut,
      mostRequests: 40,
      otherwise: neverStarted(),
    };
    await ledger.settle(ref, token, split);
    await ledger.settle(ref, token, split);
    const chunks = await ledger.chunks('s1');
    expect(chunks.map(({ state, messages, result }) => ({ state, messages, result }))).toMatchObject([
      { state: 'split' },
      { state: 'pending', messages: others },
      { state: 'not_sent', messages: [first], result: { cause: 'opted_out' } },
    ]);
    const next = await taken(ledger, forJobs());
    await ledger.settle(next.ref, next.token, SENT);
    expect((await ledger.tally('s1')).states).toMatchObject({
      sent: { messages: 3 },
      not_sent: { messages: 1 },
    });
    expect((await ledger.find('s1'))?.state).toBe('finished');
  });

  describe('the breaker of a job', () => {
    async function inFlight(ledger: Parameters<typeof taken>[0], most: number): Promise<Attempt[]> {
      const attempts: Attempt[] = [];
      for (let i = 0; i < most; i += 1) {
        const request = forJobs();
        const result = await ledger.take(request);
        if (result.kind !== 'taken') return attempts;
        const { send, chunk } = result;
        attempts.push({ ref: { send: send.id, index: chunk.index }, token: request.token, send, chunk });
      }
      return attempts;
    }

    test('one more request in flight for each clean answer, up to sixteen', async () => {
      const { ledger } = await startRig(open, { permits: 1000 });
      await confirmed(ledger, aJob('s1', Array(60).fill(1)));
      const air = await inFlight(ledger, 99);
      expect(air).toHaveLength(8);
      for (let most = 9; most <= 20; most += 1) {
        const { ref, token } = air.shift() as Attempt;
        await ledger.settle(ref, token, most % 2 ? SENT : REJECTED);
        air.push(...(await inFlight(ledger, 99)));
        expect(air).toHaveLength(Math.min(16, most));
      }
      expect((await ledger.find('s1'))?.inFlightLimit).toBe(16);
    });

    test('one request at a time after an unknown answer, then it grows again', async () => {
      const { ledger } = await startRig(open, { permits: 1000 });
      await confirmed(ledger, aJob('s1', Array(30).fill(1)));
      const air = await inFlight(ledger, 99);
      const [bad, ...good] = air as [Attempt, ...Attempt[]];
      await ledger.settle(bad.ref, bad.token, GARBLED);
      expect((await ledger.find('s1'))?.inFlightLimit).toBe(1);
      for (const [i, { ref, token }] of good.entries()) {
        await ledger.settle(ref, token, SENT);
        expect((await ledger.find('s1'))?.inFlightLimit).toBe(2 + i);
      }
    });

    test('neither a 429 nor a request that never started makes room', async () => {
      const { ledger } = await startRig(open);
      await confirmed(ledger, aJob('s1', Array(10).fill(1)));
      const [first, second] = (await inFlight(ledger, 2)) as [Attempt, Attempt];
      await ledger.settle(first.ref, first.token, refused(1));
      await ledger.settle(second.ref, second.token, neverStarted(1));
      expect(await ledger.find('s1')).toMatchObject({ state: 'running' });
      expect(await ledger.find('s1')).not.toHaveProperty('inFlightLimit');
    });

    test('two unknown answers in a row pause the job; a clean one between them does not', async () => {
      const { ledger } = await startRig(open);
      await confirmed(ledger, aJob('s1', Array(8).fill(1)));
      const [a, b, c, d] = (await inFlight(ledger, 4)) as [Attempt, Attempt, Attempt, Attempt];
      await ledger.settle(a.ref, a.token, UNANSWERED);
      await ledger.settle(b.ref, b.token, SENT);
      await ledger.settle(c.ref, c.token, UNANSWERED);
      expect((await ledger.find('s1'))?.state).toBe('running');
      await ledger.settle(d.ref, d.token, GARBLED);
      expect(await ledger.find('s1')).toMatchObject({ state: 'paused', pauseReason: 'unknown_answers' });
      expect((await ledger.take(forJobs())).kind).toBe('idle');
      await ledger.resume('s1');
      expect(await ledger.find('s1')).toMatchObject({ state: 'running', unknownRun: 0, inFlightLimit: 1 });
    });

    test('an answer that lists no message is unknown, too; an answer that lists some is not', async () => {
      const { ledger } = await startRig(open);
      await confirmed(ledger, aJob('s1', Array(8).fill(2)));
      const states: string[] = [];
      for (const listed of [1, 0, 1, 0, 0]) {
        const { ref, token, chunk } = await taken(ledger, forJobs());
        const [sent, unknown] = [chunk.messages.slice(0, listed), chunk.messages.slice(listed)];
        const parts = [...(listed > 0 ? [aPart('sent', sent)] : []), aPart('unknown', unknown)];
        await ledger.settle(ref, token, resolvedPerMessage(parts, 2));
        states.push((await ledger.find('s1'))?.state ?? '');
      }
      expect(states).toEqual(['running', 'running', 'running', 'running', 'paused']);
      expect(await ledger.find('s1')).toMatchObject({ pauseReason: 'unknown_answers', inFlightLimit: 1 });
    });

    test('chunks that a crash made unknown do not count as answers', async () => {
      const { ledger, reopen } = await startRig(open);
      await confirmed(ledger, aJob('s1', Array(8).fill(1)));
      await inFlight(ledger, 4);
      const next = await reopen();
      expect((await next.tally('s1')).states.unknown.chunks).toBe(4);
      expect(await next.find('s1')).toMatchObject({ state: 'running' });
      expect(await next.find('s1')).not.toHaveProperty('unknownRun');
    });

    test('a late answer over unknown moves the breaker no more', async () => {
      const { ledger } = await startRig(open);
      await confirmed(ledger, aJob('s1', Array(8).fill(1)));
      const [a] = (await inFlight(ledger, 1)) as [Attempt];
      await ledger.settle(a.ref, a.token, UNANSWERED);
      await ledger.settle(a.ref, a.token, sentFor());
      expect(await ledger.find('s1')).toMatchObject({ inFlightLimit: 1, unknownRun: 1 });
    });
  });
}
