import type { RealConfig } from '../config/read-config.ts';
import type { OpenStore } from '../data/data.ts';
import { openBesideBot } from '../data/embedded.ts';
import { botRuns, lockDataDir } from '../store/sqlite/lock.ts';

/** A store that bots may be using. */
export interface AdminStore extends Omit<OpenStore, 'onReconnect'> {
  /** Does the work. @throws StoreError if a bot uses the data folder; on Redis it can't see whether bots run */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Opens the bot's store, even while the bot uses it. `isAlone`: no bot runs, so this may upgrade the data in Redis.
 * @throws StoreError
 */
export async function openAdminStore(
  config: RealConfig,
  isAlone: boolean,
  onDamaged: (error: Error) => void,
): Promise<AdminStore> {
  const { dataDir, encryptionKeys, redis } = config;
  const options = { dataDir, encryptionKeys, limits: config.core.limits, onDamaged };
  if (redis) {
    const { openRedisStore } = await import('../data/shared.ts');
    const store = await openRedisStore({ ...options, ...redis, refuseOld: !isAlone, isOperator: true });
    return { ...store, alone: (work) => work() };
  }
  return {
    ...(await openBesideBot(options)),
    async alone(work) {
      using closing = new DisposableStack();
      closing.defer(lockDataDir(dataDir, 0, botRuns(dataDir)).release);
      return await work();
    },
  };
}
