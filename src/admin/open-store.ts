import type { RealConfig } from '../config.ts';
import type { RecordError } from '../store/namespace.ts';
import { createSqliteLedger } from '../store/sqlite/ledger.ts';
import { lockDataDir } from '../store/sqlite/lock.ts';
import { openRecords } from '../store/sqlite/store.ts';
import type { Store } from '../store/store.ts';

/** A store that bots may be using, and how to keep the one of this folder away from it. */
export interface AdminStore extends Omit<Store, 'onReconnect'> {
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens the store that the bot uses, beside it. @throws StoreError */
export async function openAdminStore(
  config: RealConfig,
  onDamaged: (error: RecordError) => void,
): Promise<AdminStore> {
  const { dataDir, encryptionKeys, limits, redis } = config;
  if (redis) {
    const { openRedisStore } = await import('../store/redis/store.ts');
    const store = await openRedisStore({ dataDir, encryptionKeys, limits, onDamaged, ...redis });
    return { ...store, alone: (work) => work() };
  }
  const { db, cipher, records } = openRecords({ dataDir, encryptionKeys, onDamaged });
  return {
    ledger: createSqliteLedger(db, limits),
    records,
    cipher,
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
