import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect, type RedisClient } from '../../src/store/redis/connect.ts';
import { createServerWatch, findServer } from '../../src/store/redis/same-server.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

const YEAR_MS = 365 * 86_400_000;
const SOON_MS = 20_000;

async function aServer() {
  const server = await startRedis();
  onTestFinished(() => server.close());
  async function asked(how?: { isReconnect: boolean }, hides = false) {
    const { client, close } = await connect(server.url);
    const hiding: RedisClient = {
      sendCommand: async (words, options) =>
        hides && words[0] === 'INFO' ? '# Server' : client.sendCommand(words, options),
    };
    try {
      return await findServer(hiding, how);
    } finally {
      close();
    }
  }
  return {
    server,
    /** Asks as a bot does that starts now. */
    atAStart: async () => (await asked()).forMs,
    /** Asks as a bot does that has just reconnected. */
    atAReconnect: async () => (await asked({ isReconnect: true })).forMs,
    wasReplica: async () => (await asked()).wasReplica,
    /** As these, where a host hides which server it is. */
    hidden: {
      atAStart: async () => (await asked(undefined, true)).forMs,
      atAReconnect: async () => (await asked({ isReconnect: true }, true)).forMs,
      wasReplica: async () => (await asked(undefined, true)).wasReplica,
    },
  };
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

  test('since the first reconnect after a restart, for bots that start later, too', async () => {
    const { server, atAStart, atAReconnect } = await aServer();
    await atAStart();
    expect(await atAReconnect()).toBeGreaterThan(YEAR_MS);
    await server.restart();
    expect(await atAReconnect()).toBe(0);
    await sleep(50);
    for (const later of [await atAReconnect(), await atAStart()]) {
      expect(later).toBeGreaterThanOrEqual(50);
      expect(later).toBeLessThan(SOON_MS);
    }
  });

  test('not at all at a reconnect, if a host hides which server it is', async () => {
    const { hidden } = await aServer();
    expect(await hidden.atAStart()).toBeGreaterThan(YEAR_MS);
    expect(await hidden.atAStart()).toBeGreaterThan(YEAR_MS);
    expect(await hidden.atAReconnect()).toBe(0);
    expect(await hidden.atAReconnect()).toBe(0);
  });

  test('a server that took over from its primary was a replica; one that starts again was none', async () => {
    const [primary, replica] = [await aServer(), await aServer()];
    const { hostname, port } = new URL(primary.server.url);
    for (const { wasReplica } of [primary, replica]) expect(await wasReplica()).toBe(false);
    const { client, close } = await connect(replica.server.url);
    onTestFinished(close);
    await client.sendCommand(['REPLICAOF', hostname, port]);
    const isInSync = async () =>
      expect(await client.sendCommand(['INFO', 'replication'])).toContain('master_link_status:up');
    await vi.waitFor(isInSync, { timeout: 10_000 });
    await primary.server.restart();
    expect(await primary.wasReplica()).toBe(false);
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    expect(await replica.wasReplica()).toBe(true);
    expect(await replica.hidden.wasReplica()).toBe(true);
  });

  test('a watch notices each other server, and none after a reconnect to the same one', async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const { client, close } = await connect(server.url);
    onTestFinished(close);
    const { name } = await findServer(client);
    const isOther = createServerWatch(client, name);
    expect(await isOther()).toBe(false);
    await server.restart();
    const answer = await vi.waitFor(isOther, { timeout: 40_000 });
    expect([answer, await isOther()]).toEqual([true, false]);
  });
});
