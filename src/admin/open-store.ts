import type { RealConfig } from '../config/read-config.ts';
import type { OpenStore } from '../data/data.ts';
import { openBesideBot, sqliteScrub } from '../data/embedded.ts';
import type { RecordError } from '../records/namespace.ts';
import { lockDataDir } from '../store/sqlite/lock.ts';

/** A store that bots may be using. */
export interface AdminStore extends Omit<OpenStore, 'onReconnect'> {
  /** Does the work if no bot uses the data folder; on Redis it can't check that. @throws StoreError if a bot uses it */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Opens the bot's store, even while the bot uses it. `isAlone`: no bot runs, so the data in Redis may be upgraded.
 * @throws StoreError
 */
export async function openAdminStore(
  config: RealConfig,
  isAlone: boolean,
  onDamaged: (error: RecordError) => void,
): Promise<AdminStore> {
  const { dataDir, encryptionKeys, redis } = config;
  const { limits } = config.core;
  if (redis) {
    const { openRedisStore } = await import('../data/shared.ts');
    const store = await openRedisStore({
      dataDir,
      encryptionKeys,
      limits,
      onDamaged,
      refuseOld: !isAlone,
      ...redis,
    });
    return { ...store, alone: (work) => work() };
  }
  const { db, ...opened } = await openBesideBot({ dataDir, encryptionKeys, limits, onDamaged });
  return {
    ...opened,
    scrub: sqliteScrub(db),
    close: () => db.close(),
    async alone(work) {
      const lock = lockDataDir(dataDir, 0);
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}
