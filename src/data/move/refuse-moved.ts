import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { StoreError } from '../../store/store-error.ts';

/** The path of a folder's database, and its path after a move to Redis. */
export function databaseNames(dataDir: string) {
  return { file: join(dataDir, 'switchboard.db'), aside: join(dataDir, 'switchboard-moved.db') };
}

/** Refuses a new database in a folder whose database was moved. @throws StoreError */
export function refuseMoved(dataDir: string): void {
  const { file, aside } = databaseNames(dataDir);
  if (existsSync(file) || !existsSync(aside)) return;
  throw new StoreError(
    'unusable',
    `The database was moved to Redis: set REDIS_URL. Its old contents are in ${aside}: delete that file to begin with an empty database.`,
  );
}

/** This key exists during a move. A move that is cut short leaves it behind. */
export const MOVE_MARK_KEY = `${PREFIX}moving`;

/** Refuses a Redis that may hold only a part of a moved database. @throws StoreError */
export async function refuseHalfMoved(client: RedisClient): Promise<void> {
  const marks = await createAsk(client, 'start')('EXISTS', MOVE_MARK_KEY);
  if (Number(marks) === 0) return;
  throw new StoreError(
    'unusable',
    'A move to this Redis is under way or was cut short. Wait, or run npm run admin -- move --to redis again.',
  );
}
