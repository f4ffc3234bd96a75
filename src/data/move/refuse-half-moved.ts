import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { StoreError } from '../../store/store-error.ts';

/** Exists while a move is under way. A move that is cut short leaves it behind. */
export const MOVE_MARK_KEY = `${PREFIX}moving`;

/** Refuses a store that holds only a part of another one. @throws StoreError */
export async function refuseHalfMoved(client: RedisClient): Promise<void> {
  const marks = await createAsk(client, 'start')('EXISTS', MOVE_MARK_KEY);
  if (Number(marks) === 0) return;
  throw new StoreError(
    'unusable',
    'A move to this Redis is under way or was cut short: wait, or run npm run admin -- move --to redis again.',
  );
}
