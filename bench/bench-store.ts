import type { OpenStore } from '../src/data/data.ts';
import { openRedisStore } from '../src/data/shared.ts';
import { LIMITS } from './intents.ts';

/** A bot's store on this Redis, with more permits than it can use. */
export function openBenchStore(url: string, dataDir: string, encryptionKey: Buffer): Promise<OpenStore> {
  return openRedisStore({
    url,
    allowVolatile: false,
    limits: LIMITS,
    dataDir,
    encryptionKeys: [encryptionKey],
    onDamaged(error) {
      throw error;
    },
  });
}
