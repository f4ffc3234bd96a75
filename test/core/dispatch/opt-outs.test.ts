import { describe, expect, test } from 'vitest';
import { LONGEST_FUSE_MS } from '../../../src/core/dispatch/request-gate.ts';
import { jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { createGate } from '../../helpers/core-ledger.ts';
import { aNumber, aRequest, BEN } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import { type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';

const STOP = { to: 'out', by: BEN.id, via: 'command', channel: 'C-sales', reason: 'replied STOP' } as const;
const BULK = { bulk: { chunkSize: 10, minRecipients: 2 } };

const optOut = ({ core }: Pick<Run, 'core'>, ...phones: string[]) => core.optOuts.change('T1', phones, STOP);

/** How often the bot asked the service to text each number. */
function asked({ service }: CoreWorld): Map<string, number> {
  const found = new Map<string, number>();
  for (const { phone } of service.messages) found.set(phone, (found.get(phone) ?? 0) + 1);
  return found;
}

describe('a single text', () => {
  test('to a number that is opted out gets no draft: who, when and why is said', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world);
    await optOut(running, aNumber().digits);
    expect(await running.core.sends.draft(aRequest())).toMatchObject({
      kind: 'opted_out',
      optOut: {
        e164: aNumber().e164,
        isOut: true,
        events: [{ to: 'out', by: BEN.id, via: 'command', channel: 'C-sales', reason: 'replied STOP' }],
      },
    });
  });

  test('whose number is opted out after Send is not sent', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world);
    const gate = createGate();
    running.tap.intercept('take', (take) => async (request) => {
      await gate.pass();
      return take(request);
    });
    const view = await confirmed(running.core);
    await optOut(running, aNumber().digits);
    gate.open();
    const after = await ended(running.core, view.id);
    expect(after).toMatchObject({
      outcome: 'not_sent',
      barredFor: 'opted_out',
      result: { cause: 'opted_out' },
    });
    expect(world.sendRequests()).toEqual([]);
    expect((await running.ledger.tally(view.id)).barred).toEqual({ opted_out: 1 });
  });

  test('does not begin after the answer to an opt-out, though its bot had looked just before', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world);
    const looked = createGate();
    const answered = createGate();
    let looks = 0;
    running.tap.intercept('whichOptedOut', (which) => async (team, hashes) => {
      const found = await which(team, hashes);
      looks += 1;
      if (looks === 1) {
        looked.open();
        await answered.pass();
      }
      return found;
    });
    const view = await confirmed(running.core);
    await looked.pass();
    world.time.duringSleepOf(LONGEST_FUSE_MS, () => world.time.jump('steady', LONGEST_FUSE_MS));
    await optOut(running, aNumber().digits);
    answered.open();
    expect(await ended(running.core, view.id)).toMatchObject({ outcome: 'not_sent', barredFor: 'opted_out' });
    expect(looks).toBe(2);
    expect(world.sendRequests()).toEqual([]);
  });

  test('begins only once the store has said who is opted out', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world);
    let failures = 2;
    running.tap.intercept('whichOptedOut', (which) => async (team, hashes) => {
      if (failures > 0) {
        failures -= 1;
        expect(world.sendRequests()).toEqual([]);
        throw new Error('the store is away');
      }
      return which(team, hashes);
    });
    const { id } = await confirmed(running.core);
    expect(await ended(running.core, id)).toMatchObject({ outcome: 'sent' });
    expect(failures).toBe(0);
    expect(world.sendRequests()).toHaveLength(1);
    expect(world.logged()).toMatch(/"check":"barred".*a check before a request failed/);
  });

  test('is given up if the store never says it', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world);
    running.tap.intercept('whichOptedOut', () => async () => {
      throw new Error('the store is away');
    });
    const { id } = await confirmed(running.core);
    const failure = /"check":"barred".*a check before a request failed/;
    await expect.poll(() => world.logged()).toMatch(failure);
    await expect.poll(async () => (await running.core.sends.view(id))?.outcome).toBe('pending');
    world.time.advance(11_000);
    await running.ledger.recover();
    expect(await ended(running.core, id)).toMatchObject({
      outcome: 'not_sent',
      result: { cause: 'given_up' },
    });
    expect(world.sendRequests()).toEqual([]);
  });
});

describe('a job', () => {
  test('does not text people who are opted out while it runs: nobody else is lost, and the counts add up', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    const gate = createGate();
    let chunks = 0;
    running.tap.intercept('take', (take) => async (request) => {
      if (request.priority === 'background') {
        chunks += 1;
        if (chunks > 1) await gate.pass();
      }
      return take(request);
    });
    const { id } = await startedJob(running.core, { count: 30 });
    await eventually(() => expect(world.service.messages.length).toBe(10));
    // These are one sent number, two of another chunk, and all of a third chunk.
    const whole = Array.from({ length: 10 }, (_, at) => phoneAt(20 + at));
    await optOut(running, phoneAt(3), phoneAt(12), phoneAt(15), ...whole);
    gate.open();
    const { counts, creditsUsed } = await jobIn(running.core, id, 'finished');
    expect(counts).toMatchObject({ total: 30, sent: 18, optedOut: 12, notSent: 0, left: 0, unknown: 0 });
    expect(creditsUsed).toBe(18);
    const texted = asked(world);
    expect([...texted.values()].every((times) => times === 1)).toBe(true);
    expect([...texted.keys()].sort()).toEqual(
      Array.from({ length: 20 }, (_, at) => phoneAt(at)).filter(
        (phone) => phone !== phoneAt(12) && phone !== phoneAt(15),
      ),
    );
    const results = await running.core.jobs.results(id);
    expect(results).toHaveLength(30);
    expect(results?.filter(({ barredFor }) => barredFor === 'opted_out').map(({ row }) => row)).toEqual([
      13,
      16,
      ...Array.from({ length: 10 }, (_, at) => 21 + at),
    ]);
  });

  test('waits if the store does not say who is opted out, and nothing is sent meanwhile', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    let isAway = true;
    let refused = 0;
    running.tap.intercept('whichOptedOut', (which) => async (team, hashes) => {
      // The draft's own look must not fail.
      if (!isAway) return which(team, hashes);
      refused += 1;
      throw new Error('the store is away');
    });
    isAway = false;
    const { id } = await startedJob(running.core, { count: 20 });
    isAway = true;
    await eventually(() => expect(refused).toBeGreaterThan(0));
    expect(await running.core.jobs.view(id)).toMatchObject({ state: 'running' });
    const before = world.service.messages.length;
    await eventually(() => expect(refused).toBeGreaterThan(2));
    expect(world.service.messages.length).toBe(before);
    isAway = false;
    expect((await jobIn(running.core, id, 'finished')).counts).toMatchObject({ sent: 20, left: 0 });
    expect([...asked(world).values()].every((times) => times === 1)).toBe(true);
  });

  test('a kill between the look and the request makes the texts unknown, and texts nobody who is opted out', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world, BULK);
    const looked = createGate();
    first.tap.intercept('whichOptedOut', (which) => async (team, hashes) => {
      const found = await which(team, hashes);
      if (hashes.length < 10) return found;
      looked.open();
      first.kill();
      return new Promise(() => {});
    });
    const { id } = await startedJob(first.core, { count: 10 });
    await looked.pass();
    const second = await run(world, BULK);
    await optOut(second, phoneAt(4));
    const view = await jobIn(second.core, id, 'finished');
    expect(view.counts).toMatchObject({ unknown: 10, sent: 0, left: 0 });
    expect(world.service.messages).toEqual([]);
  });
});
