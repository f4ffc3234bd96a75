import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { hasSeenAny } from '../../store/redis/epoch.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { unusable } from '../../store/store-error.ts';

/** The path of a folder's database, its path after a move to Redis, and the path of its mark: see `createMark`. */
export function databaseNames(dataDir: string) {
  return {
    file: join(dataDir, 'switchboard.db'),
    aside: join(dataDir, 'switchboard-moved.db'),
    mark: join(dataDir, 'switchboard.mark'),
  };
}

/** Refuses a new database in a folder whose data are in Redis: it would know no opt-outs. @throws StoreError */
export function refuseMoved(dataDir: string): void {
  const { file, aside } = databaseNames(dataDir);
  if (existsSync(file)) return;
  if (existsSync(aside)) {
    throw unusable(
      `The database was moved to Redis: set REDIS_URL. Its old contents are in ${aside}: delete that file to begin with an empty database.`,
    );
  }
  if (!hasSeenAny(dataDir)) return;
  throw unusable(
    'The bot of this folder works on Redis: set REDIS_URL. To begin with an empty database, choose an empty DATA_DIR.',
  );
}

/** The same for a Redis beside a database that was not moved. @throws StoreError */
export function refuseUnmoved(dataDir: string): void {
  const { file } = databaseNames(dataDir);
  if (!existsSync(file) || hasSeenAny(dataDir)) return;
  throw unusable(
    `${file} was not moved to Redis, which knows none of its links and opt-outs: stop the bot and run npm run admin -- move --to redis. To begin without them, choose an empty DATA_DIR.`,
  );
}

/** This key exists during a move. A move that is cut short leaves it behind. */
export const MOVE_MARK_KEY = `${PREFIX}moving`;

/** Refuses a Redis that may hold only a part of a moved database. @throws StoreError */
export async function refuseHalfMoved(client: RedisClient): Promise<void> {
  const marks = await createAsk(client, 'start')('EXISTS', MOVE_MARK_KEY);
  if (Number(marks) === 0) return;
  throw unusable(
    'A move to this Redis is under way or was cut short. Wait, or run npm run admin -- move --to redis again.',
  );
}
