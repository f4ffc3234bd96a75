import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { StoreError } from '../../store/store-error.ts';

/** The path of a folder's database, and the path that it gets when it is moved to Redis. */
export function databaseNames(dataDir: string) {
  return { file: join(dataDir, 'switchboard.db'), aside: join(dataDir, 'switchboard-moved.db') };
}

/** Refuses to begin a new database where one was moved. @throws StoreError */
export function refuseMoved(dataDir: string): void {
  const { file, aside } = databaseNames(dataDir);
  if (existsSync(file) || !existsSync(aside)) return;
  throw new StoreError(
    'unusable',
    `The database was moved to Redis: set REDIS_URL. Its old contents are in ${aside}: delete that file to begin with an empty database.`,
  );
}

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
