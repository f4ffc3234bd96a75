import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisFor } from '../helpers/redis-ledger.ts';
import { type RedisServer, startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { ledgerModel } from './ledger.model.ts';

describe.skipIf(withoutRedis)('on a real Redis', () => {
  let server: RedisServer;

  beforeAll(async () => {
    // Only a power cut tells the difference, and a run writes hundreds of times.
    server = await startRedis({ appendfsync: 'no' });
  });

  afterAll(() => server.close());

  ledgerModel(
    'Redis',
    openRedisFor(() => server.url),
    50,
  );
});
