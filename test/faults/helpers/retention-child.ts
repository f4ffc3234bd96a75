import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { systemClock } from '../../../src/core/clock.ts';
import { createHashNumber } from '../../../src/core/history/hash-number.ts';
import { createRetention } from '../../../src/core/history/retention.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { Settlement } from '../../../src/ledger/model/attempt-types.ts';
import { connect } from '../../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../../src/store/redis/engine.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { RETENTION_LIMITS, SECRET } from './retention-limits.ts';

/** A bot without Slack and without a service, which works on jobs and deletes old ones until a test kills it. */

const DAY_MS = 86_400_000;
const [, , url = '', prefix = '', epoch = '', keepMs = ''] = process.argv;
const { client } = await connect(url);
const ledger = createLedger(createSteps(createRedisEngine({ client, prefix, epoch })), RETENTION_LIMITS);
const days = Number(keepMs) / DAY_MS;
const retention = createRetention({
  ledger,
  hashOf: createHashNumber(SECRET),
  keepDays: { most: days, of: async () => days, choose: async () => {} },
  limits: { days, lookupDays: 400 },
  repeatGuardMs: DAY_MS,
  scrub: { everyMs: DAY_MS, run: async () => true },
  clock: systemClock,
  log: pino({ enabled: false }),
});

const SETTLEMENTS: Settlement[] = [
  ...Array.from(
    { length: 9 },
    (): Settlement => ({
      to: 'sent',
      request: 'answered',
      receipt: { creditsUsed: 1, creditsRemaining: 1 },
      result: { cause: 'accepted', message: 'words of the service' },
    }),
  ),
  { to: 'unknown', request: 'unanswered', result: { cause: 'no_answer' } },
];

async function work(): Promise<void> {
  const token = randomBytes(9).toString('base64url');
  const request = {
    instance: 'i1',
    rateLimitKey: 'k1',
    account: 'a1',
    priority: 'background',
    token,
  } as const;
  const taken = await ledger.take(request);
  if (taken.kind !== 'taken') return void (await sleep(20));
  await sleep(Math.random() * 20);
  const settlement = SETTLEMENTS[Math.floor(Math.random() * SETTLEMENTS.length)] as Settlement;
  await ledger.settle(taken.chunk, token, settlement);
}

/** Another bot is sometimes quicker: that is no fault here. */
async function forever(step: () => Promise<void>): Promise<never> {
  for (;;) await step().catch(() => sleep(20));
}

const { signal } = new AbortController();
void forever(work);
void forever(async () => {
  await ledger.recover();
  await sleep(100);
});
await forever(async () => {
  await retention.forget(signal);
  await sleep(30);
});
