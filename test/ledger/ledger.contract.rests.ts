import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import {
  aJob,
  aSingle,
  confirmed,
  forJobs,
  forSingles,
  freshToken,
  halved,
  inFlight,
  LIMITS,
  type OpenLedger,
  refused,
  SENT,
  startRig,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';

const REST_MS = 90_000;

/** The settlement of a single text after its third 429. */
const GIVEN_UP: Settlement = {
  to: 'not_sent',
  request: { restMs: 1000 },
  result: { cause: 'rate_limited' },
};

/** A 429 to a single text lets the key rest, until `REST_MS` from now. */
async function resting(ledger: Ledger): Promise<void> {
  const { ref, token } = await inFlight(ledger, 'turned away');
  await ledger.settle(ref, token, refused(REST_MS));
}

/** The answers to everybody who asks for a permit of the key: a person, a poll, a text and a job. */
async function answers(ledger: Ledger, rateLimitKey = 'k1') {
  return Promise.all([
    ledger.permit(rateLimitKey, 'interactive', freshToken()),
    ledger.permit(rateLimitKey, 'background', freshToken()),
    ledger.take(forSingles({ rateLimitKey })),
    ledger.take(forJobs({ rateLimitKey })),
  ]);
}

export function restsContract(open: OpenLedger): void {
  test('after a 429 the whole key rests: people, polls and jobs all wait until it is over', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('job', [1, 1]));
    await resting(ledger);
    const wait = { kind: 'wait', until: clock.now() + REST_MS, rests: true };
    expect(await answers(ledger)).toEqual([wait, wait, wait, wait]);
    clock.advance(REST_MS - 1);
    expect(await answers(ledger)).toEqual([wait, wait, wait, wait]);
    clock.advance(1);
    expect((await answers(ledger)).map(({ kind }) => kind)).toEqual(Array(4).fill('taken'));
  });

  test('for a window, if the service does not say how long', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, refused(undefined));
    expect(await ledger.take(forSingles())).toEqual({
      kind: 'wait',
      until: clock.now() + LIMITS.windowMs,
      rests: true,
    });
  });

  test('a balance read that is turned away lays it to rest as well', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const token = freshToken();
    await ledger.permit('k1', 'background', token);
    await ledger.returnPermit('k1', token, { restMs: REST_MS });
    expect(await ledger.take(forSingles())).toEqual({
      kind: 'wait',
      until: clock.now() + REST_MS,
      rests: true,
    });
  });

  test('other keys go on, and everybody who shares the key waits', async () => {
    const { ledger } = await startRig(open);
    await resting(ledger);
    await confirmed(ledger, aSingle('same key', { instance: 'i2' }));
    await confirmed(ledger, aSingle('other key', { instance: 'i3' }));
    expect((await ledger.take(forSingles({ instance: 'i2' }))).kind).toBe('wait');
    expect((await ledger.take(forSingles({ instance: 'i3', rateLimitKey: 'k3' }))).kind).toBe('taken');
  });

  test('a rest is never cut short by a later 429, but lengthened', async () => {
    const { ledger, clock } = await startRig(open);
    const start = clock.now();
    const [a, b, c] = [freshToken(), freshToken(), freshToken()];
    for (const token of [a, b, c]) await ledger.permit('k1', 'interactive', token);
    const until = async () => (await ledger.permit('k1', 'interactive', freshToken())) as { until: number };
    await ledger.returnPermit('k1', a, { restMs: 50_000 });
    clock.advance(1000);
    await ledger.returnPermit('k1', b, { restMs: 0 });
    expect((await until()).until).toBe(start + 50_000);
    await ledger.returnPermit('k1', c, { restMs: 80_000 });
    expect((await until()).until).toBe(start + 81_000);
  });

  test('the request that was turned away keeps its permit for a window', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1 });
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, refused(1000));
    clock.advance(1000);
    expect(await ledger.take(forSingles())).toEqual({ kind: 'wait', until: clock.now() + 59_060 });
  });

  test('it outlives a restart', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await resting(ledger);
    const until = clock.now() + REST_MS;
    clock.advance(1000);
    const next = await reopen();
    expect(await next.take(forSingles())).toEqual({ kind: 'wait', until, rests: true });
    clock.set(until);
    expect((await next.take(forSingles())).kind).toBe('taken');
  });

  test('an attempt that was handed out before is answered again, with the same token', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('job', [1, 1]));
    const request = forJobs();
    const first = await ledger.take(request);
    await resting(ledger);
    expect(await ledger.take(request)).toEqual(first);
  });

  test('single texts are not given up for it', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('before'));
    const before = await taken(ledger);
    const slow = await inFlight(ledger, 'slow');
    // The answer comes after the text's ten seconds, and nobody may give the text up before the next take.
    clock.advance(11_000);
    await ledger.settle(slow.ref, slow.token, refused(REST_MS));
    await ledger.recover();
    expect(await states(ledger, 'slow')).toEqual(['pending']);
    await ledger.settle(before.ref, before.token, SENT);
    await confirmed(ledger, aSingle('during'));
    await ledger.take(forSingles());
    clock.advance(REST_MS);
    await ledger.recover();
    expect([(await taken(ledger)).send.id, (await taken(ledger)).send.id]).toEqual(['slow', 'during']);
  });

  describe('a 429 that comes while the key rests', () => {
    /** Two chunks in flight that have had two 429 answers each, with a whole rest after each. */
    async function twiceTurnedAway(ledger: Ledger, pass: (ms: number) => void) {
      await confirmed(ledger, aJob('job', [2, 2]));
      for (let times = 0; times < 2; times += 1) {
        for (const { ref, token } of [await taken(ledger, forJobs()), await taken(ledger, forJobs())]) {
          await ledger.settle(ref, token, refused(0));
        }
        pass(1);
      }
      return [await taken(ledger, forJobs()), await taken(ledger, forJobs())] as const;
    }

    test('does not count: neither a split nor a giving up follows, and its chunk waits', async () => {
      const { ledger, clock } = await startRig(open);
      const [first, second] = await twiceTurnedAway(ledger, clock.advance);
      const over = { request: { restMs: REST_MS } };
      expect(first.chunk.refusals).toBe(2);
      await ledger.settle(first.ref, first.token, halved(first.chunk.messages, over));
      const halves = halved(second.chunk.messages, over);
      for (const _again of [1, 2]) {
        expect(await ledger.settle(second.ref, second.token, halves)).toMatchObject({
          settled: true,
          chunk: { state: 'pending', refusals: 2 },
        });
      }
      expect(await states(ledger, 'job')).toEqual(['split', 'pending', 'pending', 'pending']);
    });

    test('nor does a single text end by it', async () => {
      const { ledger, clock } = await startRig(open);
      const single = await inFlight(ledger, 's1');
      await resting(ledger);
      for (const _again of [1, 2]) {
        expect(await ledger.settle(single.ref, single.token, GIVEN_UP)).toMatchObject({
          settled: true,
          chunk: { state: 'pending', refusals: 0 },
        });
      }
      clock.advance(REST_MS);
      const again = [await taken(ledger), await taken(ledger)].find(({ ref }) => ref.send === 's1');
      await ledger.settle(again?.ref ?? single.ref, again?.token ?? '', GIVEN_UP);
      expect(await states(ledger, 's1')).toEqual(['not_sent']);
    });

    test('in a stopped send it is cancelled', async () => {
      const { ledger } = await startRig(open);
      const single = await inFlight(ledger, 's1');
      await resting(ledger);
      await ledger.stop('s1');
      for (const _again of [1, 2]) {
        expect(await ledger.settle(single.ref, single.token, GIVEN_UP)).toMatchObject({
          settled: true,
          chunk: { state: 'cancelled' },
        });
      }
    });

    test('still says of an unknown text that it was not sent', async () => {
      const { ledger, clock } = await startRig(open);
      const single = await inFlight(ledger, 's1');
      clock.advance(LIMITS.leaseMs);
      await ledger.recover();
      await resting(ledger);
      await ledger.settle(single.ref, single.token, GIVEN_UP);
      expect(await states(ledger, 's1')).toEqual(['not_sent']);
    });
  });

  test('no 429 makes room in a job’s breaker, however its chunk ends', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('job', [2, 2]));
    const first = await taken(ledger, forJobs());
    await ledger.settle(first.ref, first.token, halved(first.chunk.messages, { request: { restMs: 0 } }));
    expect(await ledger.find('job')).not.toHaveProperty('inFlightLimit');
  });

  test('a rest need not be whole milliseconds, though others wait for its end', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    await confirmed(ledger, aSingle('s2'));
    await ledger.settle(ref, token, refused(10.5));
    expect(await ledger.take(forSingles())).toMatchObject({ kind: 'wait', rests: true });
    clock.advance(11);
    expect((await taken(ledger)).send.id).toBe('s1');
  });
}
