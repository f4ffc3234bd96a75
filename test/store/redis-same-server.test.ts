import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { sameServerForMs } from '../../src/store/redis/same-server.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const YEAR_MS = 365 * 86_400_000;
const SOON_MS = 20_000;

async function aServer() {
  const server = await startRedis();
  onTestFinished(() => server.close());
  /** Asks as a bot does that starts now. */
  async function atAStart(): Promise<number> {
    const { client, close } = await connect(server.url);
    try {
      return await sameServerForMs(client, 'test:');
    } finally {
      close();
    }
  }
  return { server, atAStart };
}

describe.skipIf(withoutRedis)('for how long a store has had its server', () => {
  test('long, if it is the first one, at each start', async () => {
    const { atAStart } = await aServer();
    expect(await atAStart()).toBeGreaterThan(YEAR_MS);
    expect(await atAStart()).toBeGreaterThan(YEAR_MS);
  });

  test('since the first start after a restart, at each start until the next one', async () => {
    const { server, atAStart } = await aServer();
    await atAStart();
    await server.restart();
    expect(await atAStart()).toBe(0);
    await sleep(50);
    const later = await atAStart();
    expect(later).toBeGreaterThanOrEqual(50);
    expect(later).toBeLessThan(SOON_MS);
    await server.restart();
    expect(await atAStart()).toBe(0);
  });

  test('not at all, if the server has an older copy of the data', async () => {
    const { server, atAStart } = await aServer();
    await atAStart();
    const copy = server.copy();
    await server.restart();
    await atAStart();
    await server.putBack(copy);
    expect(await atAStart()).toBe(0);
  });
});
