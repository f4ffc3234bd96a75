import { setTimeout as sleep } from 'node:timers/promises';
import type { SwitchesPatch } from 'credit-sandbox';
import { describe, expect, test } from 'vitest';
import { requestEndOf, requestWithPermit } from '../../../src/core/accounts/permitted-request.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import type { Outcome } from '../../../src/sms/request-outcome-types.ts';
import { ANA } from '../../helpers/core-people.ts';
import { drafted, ended } from '../../helpers/core-sends.ts';
import { ACME_KEY, boot, type CoreWorld, createCoreWorld, runLinked } from '../../helpers/core-world.ts';

const ACCEPTED: Outcome<string> = { outcome: 'accepted', data: 'x' };
const NOT_STARTED: Outcome<string> = { outcome: 'not_started', cause: 'refused' };
const RESET: Outcome<string> = { outcome: 'unknown', cause: 'reset' };

type Boot = Awaited<ReturnType<typeof boot>>;

const takeOf = (ledger: Boot['ledger'], rateLimitKey: string) => (token: string) =>
  ledger.permit(rateLimitKey, 'interactive', token);

describe('a permit for a request that is safe to repeat', () => {
  const LIMITS = { permits: 1, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 };

  /** Asks with a permit of one key until the deadline, in ms from now. Ends an accepted request's permit, too. */
  async function ask({ ledger, time }: Boot, withinMs: number, request: () => Promise<Outcome<string>>) {
    const deadline = time.clock.steady() + withinMs;
    const asked = { rateLimitKey: 'k1', deadline, take: takeOf(ledger, 'k1') };
    const answer = await requestWithPermit({ ledger, clock: time.clock }, asked, request);
    if (answer.outcome !== 'accepted') return answer;
    await ledger.returnPermit('k1', answer.token, 'answered');
    return { outcome: answer.outcome, data: answer.data };
  }

  test.each([
    { outcome: ACCEPTED, fate: 'answered', liveMs: 60_060 },
    { outcome: { outcome: 'rate_limited' } as Outcome<string>, fate: { restMs: undefined }, liveMs: 60_060 },
    { outcome: RESET, fate: 'unanswered', liveMs: 75_060 },
    { outcome: NOT_STARTED, fate: 'never_started', liveMs: 0 },
  ] as const)('$outcome.outcome: the permit stays live for $liveMs ms', async ({ outcome, fate, liveMs }) => {
    expect(requestEndOf(outcome)).toEqual(fate);
    const world = await createCoreWorld({ limits: LIMITS });
    const booted = await boot(world);
    expect(await ask(booted, 1, async () => outcome)).toEqual(outcome);

    const next = await ask(booted, 1, async () => ACCEPTED);
    if (liveMs === 0) return expect(next).toEqual(ACCEPTED);
    expect(next.outcome).toBe('busy');
    if (next.outcome === 'busy') {
      expect(next.waitMs).toBeLessThanOrEqual(liveMs);
      expect(next.waitMs).toBeGreaterThan(liveMs - 10_000);
    }
    booted.time.advance(liveMs + 1);
    expect(await ask(booted, 1, async () => ACCEPTED)).toEqual(ACCEPTED);
  });

  test('waits as long as the deadline allows, and no request is made without a permit', async () => {
    const world = await createCoreWorld({ limits: { ...LIMITS, windowMs: 300 } });
    const booted = await boot(world);
    const { ledger } = booted;
    await ledger.permit('k1', 'interactive', 'holder');
    await ledger.returnPermit('k1', 'holder', 'answered');
    let requests = 0;
    const request = async () => {
      requests += 1;
      return ACCEPTED;
    };
    expect((await ask(booted, 20, request)).outcome).toBe('busy');
    expect(requests).toBe(0);
    expect(await ask(booted, 5000, request)).toEqual(ACCEPTED);
    expect(requests).toBe(1);
  });
});

/** The most requests within any `windowMs`, wherever that stretch begins. */
function mostInAWindow(world: CoreWorld, windowMs: number): number {
  const arrivals = world.service.requests.map(({ monotonicMs }) => monotonicMs);
  return Math.max(
    ...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + windowMs).length),
  );
}

describe('80 single sends wanted at once', () => {
  const PERMITS = 20;
  const WINDOW_MS = 300;
  const WINDOWS: SwitchesPatch[] = [
    { rateWindow: 'sliding', rateOffsetMs: 0 },
    { rateWindow: 'fixed', rateOffsetMs: 0 },
    { rateWindow: 'fixed', rateOffsetMs: 130 },
  ];

  test.each(WINDOWS)('$rateWindow $rateOffsetMs: the limit is used up, and never passed', async (kind) => {
    const world = await createCoreWorld({ limits: { permits: PERMITS, windowMs: WINDOW_MS } });
    const { core, tap } = await runLinked(world);
    const drafts = await Promise.all(Array.from({ length: 80 }, () => drafted(core)));
    await sleep(WINDOW_MS + 50);
    world.service.reset();
    world.service.setSwitches({ ...kind, rateLimit: PERMITS, rateWindowMs: WINDOW_MS });

    const takes: string[] = [];
    tap.intercept('take', (take) => async (request) => {
      const taken = await take(request);
      takes.push(taken.kind);
      return taken;
    });
    await Promise.all(drafts.map(({ id }) => core.sends.confirm(id, ANA, null)));
    for (const { id } of drafts) expect((await ended(core, id)).outcome).toBe('sent');

    expect(world.sendRequests()).toHaveLength(80);
    expect(world.service.messages).toHaveLength(80);
    expect(world.service.requests.filter(({ status }) => status === 429)).toEqual([]);
    expect(mostInAWindow(world, WINDOW_MS)).toBeLessThanOrEqual(PERMITS);
    // The first requests need not wait: the ledger refuses no take before the limit is used up.
    expect(takes.slice(0, PERMITS)).toEqual(Array(PERMITS).fill('taken'));
  });

  test('a restart remembers the permits', async () => {
    const world = await createCoreWorld({ limits: { permits: 2, windowMs: 30_000 } });
    await (await runLinked(world)).stop();
    const { ledger, records, sms, time } = await boot(world);
    const rateLimitKey = (await records.instances.list())[0]?.keyFingerprint ?? '';
    const answer = await requestWithPermit(
      { ledger, clock: time.clock },
      { rateLimitKey, deadline: time.clock.steady() + 10, take: takeOf(ledger, rateLimitKey) },
      (limits) => sms.balance(ApiKey.from(ACME_KEY), limits),
    );
    expect(answer.outcome).toBe('busy');
    expect(world.balanceRequests()).toHaveLength(2);
  });
});

test('balance reads in the background leave a tenth of the permits to people', async () => {
  const world = await createCoreWorld({ limits: { permits: 10, windowMs: 60_000 } });
  const { core, instance } = await runLinked(world);
  for (let reads = 0; reads < 7; reads += 1) await core.credit.read(instance, 'background');
  expect((await core.credit.read(instance, 'background')).kind).toBe('busy');
  expect((await core.credit.read(instance, 'interactive')).kind).toBe('ok');
  expect((await core.credit.read(instance, 'interactive')).kind).toBe('busy');
  expect(world.balanceRequests()).toHaveLength(10);
});
