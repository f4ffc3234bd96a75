import { StoreError } from '../store-error.ts';
import type { RedisClient } from './connect.ts';
import { PREFIX } from './prefix.ts';
import { STEP_MS } from './run.ts';
import { within } from './within.ts';

/** Stands while a move is under way, and is left behind by one that was cut short. */
export const MOVING = `${PREFIX}moving`;

/** Refuses a store that holds a part of another only. @throws StoreError */
export async function refuseHalfMoved(client: RedisClient): Promise<void> {
  if (Number(await within(STEP_MS, 'start', client.sendCommand(['EXISTS', MOVING]))) === 0) return;
  throw new StoreError(
    'unusable',
    'A move to this Redis is under way or was cut short: wait, or run npm run admin -- move --to redis again.',
  );
}
