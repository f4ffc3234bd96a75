import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { RequestEnd } from '../../src/ledger/model/attempt-types.ts';
import type { Priority } from '../../src/ledger/model/ledger-limits.ts';
import {
  aSingle,
  confirmed,
  forSingles,
  freshToken,
  inFlight,
  LIMITS,
  MARGIN_MS,
  neverStarted,
  type OpenLedger,
  SENT,
  startRig,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const SETTLED_MS = LIMITS.windowMs + MARGIN_MS;

async function takeAll(ledger: Ledger, priority: Priority): Promise<string[]> {
  const tokens: string[] = [];
  for (;;) {
    const token = freshToken();
    if ((await ledger.permit('k1', priority, token)).kind === 'wait') return tokens;
    tokens.push(token);
  }
}

/** A repeatable source of numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function permitsContract(open: OpenLedger): void {
  test('sixty at once, and not one more', async () => {
    const { ledger } = await startRig(open);
    expect(await takeAll(ledger, 'interactive')).toHaveLength(60);
  });

  test('jobs, polls and evidence get 54 of 60 and leave six to people', async () => {
    const { ledger } = await startRig(open);
    expect(await takeAll(ledger, 'background')).toHaveLength(54);
    expect(await takeAll(ledger, 'interactive')).toHaveLength(6);
  });

  test.each([
    [1, 1],
    [2, 1],
    [10, 9],
    [11, 9],
    [20, 18],
  ])('of %i permits background gets %i', async (permits, most) => {
    const { ledger } = await startRig(open, { permits });
    expect(await takeAll(ledger, 'background')).toHaveLength(most);
    expect(await takeAll(ledger, 'interactive')).toHaveLength(permits - most);
  });

  test('each key has permits of its own', async () => {
    const { ledger } = await startRig(open, { permits: 1 });
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('taken');
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('wait');
    expect((await ledger.permit('k2', 'interactive', freshToken())).kind).toBe('taken');
  });

  test('chunks and balance reads share a key’s permits', async () => {
    const { ledger } = await startRig(open, { permits: 2 });
    await inFlight(ledger, 's1');
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('taken');
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('wait');
  });

  describe('a permit of limit 1 is free again', () => {
    const cases: [string, RequestEnd, number][] = [
      ['a window and a margin after its answer', 'answered', SETTLED_MS],
      ['a time-out later still when there was no answer', 'unanswered', SETTLED_MS + LIMITS.timeoutMs],
    ];
    test.each(cases)('%s', async (_when, fate, after) => {
      const { ledger, clock } = await startRig(open, { permits: 1 });
      const token = freshToken();
      await ledger.permit('k1', 'background', token);
      clock.advance(5000);
      await ledger.returnPermit('k1', token, fate);
      expect(await ledger.permit('k1', 'background', freshToken())).toEqual({
        kind: 'wait',
        until: clock.now() + after,
      });
      clock.advance(after - 1);
      expect((await ledger.permit('k1', 'background', freshToken())).kind).toBe('wait');
      clock.advance(1);
      expect((await ledger.permit('k1', 'background', freshToken())).kind).toBe('taken');
    });

    test('at once when the request never started', async () => {
      const { ledger } = await startRig(open, { permits: 1 });
      const token = freshToken();
      await ledger.permit('k1', 'background', token);
      await ledger.returnPermit('k1', token, 'never_started');
      expect((await ledger.permit('k1', 'background', freshToken())).kind).toBe('taken');
    });

    test('a lease, a window and a margin after it was taken, when its holder crashed', async () => {
      const { ledger, clock, reopen } = await startRig(open, { permits: 1 });
      await ledger.permit('k1', 'background', freshToken());
      const until = clock.now() + LIMITS.leaseMs + SETTLED_MS;
      clock.advance(1000);
      const next = await reopen();
      expect(await next.permit('k1', 'background', freshToken())).toEqual({ kind: 'wait', until });
      clock.set(until);
      expect((await next.permit('k1', 'background', freshToken())).kind).toBe('taken');
    });
  });

  describe('the permit of a balance read', () => {
    const asks = () => ({ rateLimitKey: 'k1', priority: 'background', token: freshToken() }) as const;

    test('comes with its marker, or neither comes', async () => {
      const { ledger } = await startRig(open, { permits: 1 });
      const first = asks();
      const taken = await ledger.permitBalanceRead('a1', first);
      expect(taken).toEqual({
        kind: 'taken',
        marker: {
          ...(await ledger.markBalanceRead('a1')),
          permit: { rateLimitKey: 'k1', token: first.token },
        },
      });
      expect((await ledger.permitBalanceRead('a1', asks())).kind).toBe('wait');
      expect(await ledger.permitBalanceRead('a1', first)).toEqual(taken);
    });

    test.each([true, false])(
      'ends when its figure is recorded: nothing in flight %s',
      async (nothingSending) => {
        const { ledger, clock } = await startRig(open, { permits: 1 });
        const taken = await ledger.permitBalanceRead('a1', asks());
        if (taken.kind === 'wait') throw new Error('there is no permit');
        clock.advance(5000);
        const { quiet } = await ledger.recordBalance({ ...taken.marker, nothingSending }, 100);
        expect(quiet).toBe(nothingSending);
        const until = clock.now() + SETTLED_MS;
        expect(await ledger.permitBalanceRead('a1', asks())).toEqual({ kind: 'wait', until });
        clock.set(until);
        expect((await ledger.permitBalanceRead('a1', asks())).kind).toBe('taken');
      },
    );

    test('is returned like any other without a figure', async () => {
      const { ledger } = await startRig(open, { permits: 1 });
      const first = asks();
      await ledger.permitBalanceRead('a1', first);
      await ledger.returnPermit('k1', first.token, 'never_started');
      expect((await ledger.permitBalanceRead('a1', asks())).kind).toBe('taken');
    });
  });

  test.each([
    ['sent', SENT, SETTLED_MS],
    ['unknown without an answer', UNANSWERED, SETTLED_MS + LIMITS.timeoutMs],
    ['never started', neverStarted(200), 200],
  ] as const)('a chunk’s permit ends with its settlement: %s', async (_name, settlement, after) => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    const { ref, token } = await inFlight(ledger, 's1');
    clock.advance(700);
    await ledger.settle(ref, token, settlement);
    await confirmed(ledger, aSingle('s2'));
    await ledger.stop('s1');
    const free = clock.now() + (settlement.request === 'never_started' ? 0 : after);
    const next = await ledger.take(forSingles());
    if (free === clock.now()) expect(next.kind).toBe('taken');
    else expect(next).toEqual({ kind: 'wait', until: free });
  });

  test('a chunk that recovery calls unknown keeps its permit until lease and window are over', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    await inFlight(ledger, 's1');
    const until = clock.now() + LIMITS.leaseMs + SETTLED_MS;
    clock.advance(30_000);
    await ledger.recover();
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({ kind: 'wait', until });
  });

  test('a permit ends once: the answer of a request whose permit is over takes none', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    const token = freshToken();
    await ledger.permit('k1', 'interactive', token);
    clock.advance(LIMITS.leaseMs + SETTLED_MS);
    await ledger.returnPermit('k1', token, 'answered');
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('taken');
  });

  test('a stale settlement does not touch the permit of the attempt that runs', async () => {
    const { ledger } = await startRig(open, { permits: 1 });
    const first = await inFlight(ledger, 's1');
    await ledger.settle(first.ref, first.token, neverStarted());
    await taken(ledger);
    await ledger.settle(first.ref, first.token, neverStarted());
    expect((await ledger.permit('k1', 'interactive', freshToken())).kind).toBe('wait');
  });

  test('a refusal says when the next request may start, for people and for background', async () => {
    const { ledger, clock } = await startRig(open, { permits: 10 });
    const start = clock.now();
    for (let i = 0; i < 10; i += 1) {
      const token = freshToken();
      await ledger.permit('k1', 'interactive', token);
      await ledger.returnPermit('k1', token, 'answered');
      clock.advance(100);
    }
    const people = await ledger.permit('k1', 'interactive', freshToken());
    expect(people).toEqual({ kind: 'wait', until: start + SETTLED_MS });
    const background = await ledger.permit('k1', 'background', freshToken());
    expect(background).toEqual({ kind: 'wait', until: start + 100 + SETTLED_MS });
    clock.set(start + 100 + SETTLED_MS - 1);
    expect((await ledger.permit('k1', 'background', freshToken())).kind).toBe('wait');
    clock.advance(1);
    expect((await ledger.permit('k1', 'background', freshToken())).kind).toBe('taken');
  });

  test('permits are counted over a restart', async () => {
    const { ledger, reopen } = await startRig(open);
    for (const token of await takeAll(ledger, 'interactive'))
      await ledger.returnPermit('k1', token, 'answered');
    const next = await reopen();
    expect(await takeAll(next, 'interactive')).toHaveLength(0);
  });

  test.each([1, 2, 3, 4])(
    'no window of any alignment sees more arrivals than permits (seed %i)',
    async (seed) => {
      const permits = 5;
      const rig = await startRig(open, { permits, windowMs: 1000, leaseMs: 600, timeoutMs: 300 });
      const { clock } = rig;
      let ledger = rig.ledger;
      const next = random(seed);
      const arrivals: number[] = [];
      let inFlight: { token: string; at: number; fate: RequestEnd | 'crash'; settles: number }[] = [];
      let started = 0;
      for (let step = 0; step < 1500; step += 1) {
        clock.advance(Math.floor(next() * 40));
        if (next() < 0.01) {
          // Requests of a dead process may reach the server until their leases end.
          for (const { at } of inFlight) arrivals.push(Math.min(at + 600, clock.now() + next() * 600));
          inFlight = [];
          ledger = await rig.reopen();
        }
        for (const request of inFlight.filter(({ settles }) => settles <= clock.now())) {
          const now = clock.now();
          // Each fate's worst case: the last moment before the answer, or a time-out after the bot gave up.
          if (request.fate === 'answered') arrivals.push(next() < 0.5 ? now : request.at);
          if (request.fate === 'unanswered') arrivals.push(next() < 0.5 ? now + 300 : request.at);
          if (request.fate === 'crash') arrivals.push(Math.max(now, request.at + 600));
          else await ledger.returnPermit('k1', request.token, request.fate);
        }
        inFlight = inFlight.filter(({ settles }) => settles > clock.now());
        const token = freshToken();
        const priority = next() < 0.5 ? 'interactive' : 'background';
        if ((await ledger.permit('k1', priority, token)).kind === 'wait') continue;
        started += 1;
        const fate = (['answered', 'answered', 'unanswered', 'never_started', 'crash'] as const)[
          Math.floor(next() * 5)
        ] as RequestEnd | 'crash';
        const lasts = fate === 'crash' ? 500 : next() * 500;
        inFlight.push({ token, at: clock.now(), fate, settles: clock.now() + lasts });
      }
      arrivals.sort((a, b) => a - b);
      // A window holds the arrivals of [t, t + W), so the fullest window begins at an arrival.
      const fullest = Math.max(
        ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 1000).length),
      );
      expect(fullest).toBeLessThanOrEqual(permits);
      expect(started).toBeGreaterThan(50);
      expect(fullest).toBeGreaterThanOrEqual(permits - 1);
    },
  );
}
