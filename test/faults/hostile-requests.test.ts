import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createDice } from '../helpers/dice.ts';
import { residentMegabytes } from '../helpers/resident-memory.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { ACME_KEY, ask, link } from '../helpers/world-steps.ts';
import { type FaultRun, testFault } from './helpers/faults.ts';
import { deliverHostile } from './helpers/hostile-delivery.ts';
import {
  createHostileRequests,
  type HostileRequest,
  OVERHEARD,
  slowToTheEnd,
} from './helpers/hostile-requests.ts';

const SEED = 20_261;
/** Results that the page names in words. */
const NAMES: { [status: string]: string } = { '500': '500 (signed nonsense)', none: 'closed without one' };
const IN_FLIGHT = 32;
/** After this time, an unanswered request makes the next one wait no longer. */
const PATIENCE_MS = 250;
const MOST_GROWTH_MB = 20;
/** The most bytes a request may log on average, at the default level: about a line. */
const MOST_LOG_BYTES = 300;

testFault(
  {
    what: 'malformed, oversized, badly signed requests',
    mustHold: 'the bot goes on, and takes less than 20 MB more memory (RSS)',
    runs: { short: 2000, long: 100_000 },
  },
  async (run) => {
    const world = await createWorld({ env: { LOG_LEVEL: 'info' } });
    try {
      await world.start();
      await link(world);
      await strike(world, run);
    } finally {
      await world.close();
    }
  },
);

async function strike(world: World, { runs, isLong, saw }: FaultRun): Promise<void> {
  const { slack, service, environment } = world;
  const port = Number(new URL(world.url).port);
  const bot = Number(/"pid":(\d+)/.exec(world.output())?.[1]);
  const { next, endless } = createHostileRequests(createDice(SEED), {
    secret: world.signingSecret,
    victim: {
      team: slack.team.id,
      user: slack.people.member.id,
      channel: slack.channels.sales.id,
      responseUrl: new URL('/response/nobody', slack.apiUrl).href,
    },
  });
  const statuses = new Map<string, number>();
  const wrong: string[] = [];
  const under = new Set<Promise<void>>();

  async function deliver(request: HostileRequest): Promise<void> {
    const status = await deliverHostile(port, request);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!request.allowed.test(status)) wrong.push(`${request.kind}: ${status}`);
  }

  /** Delivers `count` requests; resolves when the last one has its answer. */
  async function send(count: number, make = next): Promise<void> {
    let left = count;
    async function inTurn(): Promise<void> {
      for (; left > 0; ) {
        left -= 1;
        const delivery = deliver(make());
        under.add(delivery);
        void delivery.finally(() => under.delete(delivery));
        await Promise.race([delivery, sleep(PATIENCE_MS)]);
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, inTurn));
    await Promise.all(under);
  }

  const logged = world.output().length;
  const atFirst = residentMegabytes(bot);
  const openBefore = openFilesOf(bot);
  const slow = isLong ? Array.from({ length: 20 }, () => deliver(slowToTheEnd())) : [];
  // This warm-up brings the process to its usual size: requests of every kind, and the largest ones at once.
  const warmUp = runs * (isLong ? 0.1 : 0.5);
  await send(2 * IN_FLIGHT, endless);
  await send(warmUp);
  const before = residentMegabytes(bot);
  await send(runs - warmUp);
  await Promise.all(slow);
  const after = residentMegabytes(bot);
  const log = world.output().slice(logged);
  saw({
    answers: [...statuses]
      .sort()
      .map(([status, count]) => `${count} ${NAMES[status] ?? status}`)
      .join(', '),
    'MB before them': Math.round(atFirst),
    'MB after the first of them': Math.round(before),
    'MB at the end': Math.round(after),
    'bytes of log a request': Math.round(log.length / runs),
  });

  expect(wrong.slice(0, 20)).toEqual([]);
  expect(await ask(world, 'balance')).toContain('credits');
  expect(after - before).toBeLessThan(MOST_GROWTH_MB);
  expect(openFilesOf(bot)).toBeLessThan(openBefore + 10);
  expect(service.messages).toEqual([]);
  expect(log.length / runs).toBeLessThan(MOST_LOG_BYTES);
  const { SLACK_BOT_TOKEN = '', ENCRYPTION_KEY = '' } = environment;
  const secrets = [OVERHEARD, world.signingSecret, SLACK_BOT_TOKEN, ENCRYPTION_KEY, ACME_KEY];
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
}

function openFilesOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
