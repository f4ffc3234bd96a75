import { once } from 'node:events';
import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../src/store/redis/connect.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

/** A primary and its replica behind one name, like a managed service. */
export interface RedisPair {
  url: string;
  /** From now on, the replica gets no writes. */
  cutOff(): Promise<void>;
  /** Kills the primary. The replica becomes the primary, and gets a replica of its own. */
  failOver(): Promise<void>;
  /** Swaps both servers, as for maintenance, once the replica has everything. Connections stay. */
  handOver(): Promise<void>;
  /** Each server's role and number of keys, to find out why a test failed. */
  describe(): Promise<string>;
  close(): Promise<void>;
}

export async function startRedisPair(): Promise<RedisPair> {
  const servers: RedisServer[] = [];
  const aServer = async () => {
    // Without a disk, an accepted replica may get no writes for seconds.
    const server = await startRedis({ 'repl-diskless-sync': 'no' });
    servers.push(server);
    return server;
  };
  let [primary, replica] = [await aServer(), await aServer()];
  await follow(replica, primary);
  const name = await nameFor(primary.url);

  return {
    url: name.url,
    cutOff: () => command(replica, 'REPLICAOF', '127.0.0.1', '1').then(() => undefined),
    async failOver() {
      await primary.kill();
      await command(replica, 'REPLICAOF', 'NO', 'ONE');
      [primary, replica] = [replica, await aServer()];
      await follow(replica, primary);
      name.move(primary.url);
    },
    async handOver() {
      await command(primary, 'FAILOVER');
      const isPrimary = async () => ((await command(replica, 'ROLE')) as string[])[0] === 'master';
      while (!(await isPrimary())) await sleep(50);
      [primary, replica] = [replica, primary];
      name.leadTo(primary.url);
    },
    async describe() {
      const each = servers.map(async (server) => {
        const said = [await command(server, 'ROLE'), await command(server, 'DBSIZE')];
        return `${server.url}: ${JSON.stringify(said)}`;
      });
      const answers = await Promise.allSettled(each);
      return answers.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason))).join('\n');
    },
    async close() {
      name.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

async function command({ url }: RedisServer, ...words: string[]): Promise<unknown> {
  const { client, close } = await connect(url);
  try {
    return await client.sendCommand(words);
  } finally {
    close();
  }
}

/** Resolves once the replica gets the primary's writes. */
async function follow(replica: RedisServer, primary: RedisServer): Promise<void> {
  const { hostname, port } = new URL(primary.url);
  await command(replica, 'REPLICAOF', hostname, port);
  await command(primary, 'SET', 'arrives', '1');
  while ((await command(replica, 'GET', 'arrives')) === null) await sleep(50);
  // The first write may be in the replica's first copy of the data. This one is not.
  await command(primary, 'DEL', 'arrives');
  while ((await command(replica, 'GET', 'arrives')) !== null) await sleep(50);
}

/** An address of one server, and of another from `leadTo` on. With `move`, this cuts connections to the first. */
async function nameFor(
  first: string,
): Promise<{ url: string; leadTo(to: string): void; move(to: string): void; close(): void }> {
  let target = new URL(first);
  const open = new Set<Socket>();
  const server = createServer((incoming) => {
    const onward = connectTo(Number(target.port), target.hostname);
    for (const [one, other] of [
      [incoming, onward],
      [onward, incoming],
    ] as const) {
      open.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(to) {
      target = new URL(to);
    },
    move(to) {
      target = new URL(to);
      cut();
    },
    close() {
      server.close();
      cut();
    },
  };
}
