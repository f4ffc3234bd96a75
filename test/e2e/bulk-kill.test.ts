import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultInput } from 'credit-sandbox';
import { textOf } from 'slack-playground';
import { afterAll, describe, expect, it } from 'vitest';
import { createDice } from '../helpers/dice.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { cardOf, cardSaying, confirmBulk, draftBulk, fileFor } from '../helpers/world-bulk.ts';
import { eventually, link, rows } from '../helpers/world-steps.ts';

const RECIPIENTS = 4000;
const KILLS = 20;
const CHUNK = 10;
/** A figure that repeats itself, so that a failure can be looked at again. */
const SEED = 20_261_121;

const FAULTS: FaultInput[] = [
  { kind: 'reset', endpoint: 'bulk', when: 'before' },
  { kind: 'reset', endpoint: 'bulk', when: 'after' },
  { kind: 'hang', endpoint: 'bulk', when: 'after' },
  { kind: 'truncate', endpoint: 'bulk' },
  { kind: 'garbage', endpoint: 'bulk' },
  { kind: 'server_error', endpoint: 'bulk', when: 'before' },
  { kind: 'rate_limited', endpoint: 'bulk' },
  { kind: 'delay', endpoint: 'bulk', ms: 120, when: 'after' },
];

const phoneAt = (place: number) => `4477009${String(place).padStart(5, '0')}`;
const worlds: World[] = [];
afterAll(() => Promise.all(worlds.map((world) => world.close())));

describe('kill -9 at random moments of a job, with random faults', () => {
  it('nobody is texted twice, everybody has one outcome, the books agree, the file has every row', async ({
    annotate,
  }) => {
    const dice = createDice(SEED);
    const world = await createWorld({
      sandbox: { switches: { rateLimit: 10_000, rateWindowMs: 1000 } },
      env: {
        SMS_TIMEOUT_MS: '500',
        SMS_ATTEMPT_LEASE_MS: '1500',
        SMS_RATE_LIMIT: '10000',
        SMS_RATE_WINDOW_MS: '1000',
        BULK_CHUNK_SIZE: String(CHUNK),
      },
    });
    worlds.push(world);
    const { service, slack } = world;
    service.setCredits(1, 10_000);
    // Slow enough that twenty kills fall into it.
    const slowly: FaultInput = { kind: 'delay', endpoint: 'bulk', ms: 250, when: 'before', times: 'always' };
    await world.start();
    await link(world, { values: { 'Low-credit threshold': '0' } });
    const lines = Array.from({ length: RECIPIENTS }, (_, place) => `+${phoneAt(place)},Name ${place}`);
    const preview = await draftBulk(world, {
      file: { name: 'list.csv', bytes: ['phone,name', ...lines].join('\n') },
      message: 'Hello {name}',
    });
    service.addFault(slowly);
    await confirmBulk(world, preview);

    let kills = 0;
    let resumes = 0;
    let faults = 0;
    let inFlight = 0;
    for (; kills < KILLS; kills += 1) {
      await sleep(20 + dice() * 180);
      service.clearFaults();
      if (dice() < 0.6) {
        service.addFault(FAULTS[Math.floor(dice() * FAULTS.length)] as FaultInput);
        faults += 1;
      }
      service.addFault(slowly);
      await sleep(dice() * 120);
      await world.kill();
      const [lost] = rows(world, "SELECT sum(size) AS recipients FROM chunks WHERE state = 'sending'");
      inFlight += Number(lost?.recipients ?? 0);
      await world.start();
      resumes += await resumeIfPaused(world);
    }
    service.clearFaults();
    for (;;) {
      await cardSaying(world, /\*(Paused|Finished)\*/, 60_000);
      if (/\*Finished\*/.test(textOf(cardOf(world) as never))) break;
      resumes += await resumeIfPaused(world);
    }

    const arrived = new Map<string, number>();
    for (const { phone } of service.messages) arrived.set(phone, (arrived.get(phone) ?? 0) + 1);
    expect(Math.max(...arrived.values())).toBe(1);

    const [header, ...outcomes] = await eventually(
      () => fileFor(world, slack.people.member, /results/),
      15_000,
    );
    expect(header?.slice(0, 6)).toEqual([
      'row',
      'phone',
      'outcome',
      'message id',
      'credits',
      'time (Europe/London)',
    ]);
    expect(outcomes.map(([row]) => Number(row))).toEqual(
      Array.from({ length: RECIPIENTS }, (_, at) => at + 2),
    );
    const tally: Record<string, number> = {};
    for (const [row, phone = '', outcome = ''] of outcomes) {
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      const digits = phone.replace(/\D/g, '');
      if (outcome === 'sent') expect(arrived.get(digits), `row ${row}`).toBe(1);
      if (outcome === 'rejected' || outcome === 'not sent')
        expect(arrived.has(digits), `row ${row}`).toBe(false);
    }
    expect(Object.keys(tally).sort()).toEqual(tally.unknown ? ['sent', 'unknown'] : ['sent']);
    expect(tally.unknown ?? 0).toBeLessThanOrEqual(inFlight + faults * CHUNK);
    const [books] = rows(world, 'SELECT sum(credits_used) AS credits FROM chunks');
    expect(Number(books?.credits)).toBe(tally.sent);
    expect(10_000 - service.credits(1)).toBe(service.messages.length);
    expect(world.slack.failures).toEqual([]);
    expect(kills).toBe(KILLS);
    await annotate(
      `${kills} kills, ${faults} faults, ${resumes} resumes, ${inFlight} in flight at kills: ${JSON.stringify(tally)}`,
    );
  }, 180_000);
});

async function resumeIfPaused(world: World): Promise<number> {
  const card = cardOf(world);
  if (!card || !/\*Paused\*/.test(textOf(card))) return 0;
  await world.slack.click({ user: world.slack.people.member, message: card, text: 'Resume' });
  await sleep(50);
  return 1;
}
