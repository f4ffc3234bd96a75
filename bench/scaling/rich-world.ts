import { setTimeout as sleep } from 'node:timers/promises';
import { createWorld, type World } from '../../test/helpers/world.ts';
import { confirmBulk, draftBulk } from '../../test/helpers/world-bulk.ts';
import { historyOf, link, sendText } from '../../test/helpers/world-steps.ts';
import { recipientsCsv } from '../recipients.ts';
import type { RedisMeter } from './redis-meter.ts';

/** How many texts a list has. */
export const RECIPIENTS = 2000;

/** Permits that end soon, so that no work waits for them. */
const LIMITS = { SMS_RATE_LIMIT: '10000', SMS_RATE_WINDOW_MS: '100', BALANCE_POLL_MS: '86400000' };
/** The default, so that waits for a lease take their real time. */
const TIMES = { SMS_TIMEOUT_MS: '15000', SMS_ATTEMPT_LEASE_MS: '30000', LOG_LEVEL: 'info' };
/** How long the work after the last text takes. The look-up is filled later. */
const REST_MS = 2000;
/** The index of chunks whose numbers are not in the look-up yet. */
const UNLISTED = 'switchboard:ledger:i:chunks.unlisted';

/** A world on this Redis in which credits and permits never run out, with this many accounts and no instance. */
export function createRichWorld(redisUrl: string, accounts: number): Promise<World> {
  const rich = Array.from({ length: accounts }, (_, index) => ({
    user_id: index + 1,
    user_name: `Account ${index + 1}`,
    credits: 1_000_000_000,
  }));
  return createWorld({
    env: { ...LIMITS, ...TIMES, REDIS_URL: redisUrl },
    sandbox: { seed: { accounts: rich, instances: [] }, switches: { rateLimit: 1_000_000 } },
  });
}

/** Each call links the channel to a new instance with its own account. */
export function createLinker(world: World): () => Promise<void> {
  let count = 0;
  return async () => {
    count += 1;
    const key = `scaling-key-${String(count).padStart(4, '0')}`;
    world.service.addKey({ name: `Instance ${count}`, key, user_id: count });
    await link(world, { key, name: `Instance ${count}` });
  };
}

/** Sends a text, from the command to the receipt. */
export function sendOne(world: World): Promise<string> {
  return sendText(world, '+44 20 7946 0958 Your parcel is ready, come and get it');
}

/** Sends a list, from the form to the card that says Finished. */
export async function sendList(world: World): Promise<void> {
  const finished = () => historyOf(world).filter((message) => message.includes('*Finished*')).length;
  const before = finished();
  const preview = await draftBulk(world, {
    file: { name: 'list.csv', bytes: recipientsCsv(RECIPIENTS) },
    message: 'Hello {name}, your parcel {code} is ready',
  });
  await confirmBulk(world, preview);
  await world.slack.waitFor(() => finished() > before, 60_000);
}

/** Waits until no more work follows from the texts that were sent. */
export async function untilListed(redis: RedisMeter): Promise<void> {
  do await sleep(REST_MS);
  while ((await redis.sizeOf(UNLISTED)) > 0);
}
