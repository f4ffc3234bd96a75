import { randomUUID } from 'node:crypto';
import type { Ledger, LedgerLimits } from '../../src/store/ledger.ts';
import { type Connection, connect } from '../../src/store/redis/connect.ts';
import { createRedisLedger } from '../../src/store/redis/ledger.ts';
import { createRunner } from '../../src/store/redis/run.ts';
import type { HandClock, OpenLedger, Rig } from './ledger-fixtures.ts';
import { expectIndexesRight } from './redis-indexes.ts';

/** What is asked for a thousand times at once must not fail for a busy machine. */
const STEP_MS = 20_000;

/**
 * An engine on a prefix of its own, so that one server does for all tests; by Redis's own clock where none is given.
 * Its indexes are checked when it is closed. `open` makes the connection of each boot.
 */
export async function openOnRedis(
  url: string,
  limits: LedgerLimits,
  clock?: HandClock,
  open: (url: string) => Promise<Connection> = connect,
): Promise<Rig & { join(): Promise<Ledger> }> {
  const prefix = `test-${randomUUID()}:`;
  const epoch = randomUUID();
  const connections: Connection[] = [];
  async function boot() {
    const connection = await open(url);
    connections.push(connection);
    return createRedisLedger(
      createRunner({
        client: connection.client,
        prefix,
        epoch,
        stepMs: STEP_MS,
        ...(clock ? { clock: clock.now } : {}),
      }),
      limits,
    );
  }
  const ledger = await boot();
  const [{ client }] = connections as [Connection];
  await client.sendCommand(['SET', `${prefix}epoch`, epoch]);

  return {
    ledger,
    /** Another replica. */
    join: boot,
    // A boot takes nothing over here, since other replicas may be alive. What the contract says of the next boot is
    // what holds once the dead one's time is over: so what it held is put where it would then be found.
    async reopen() {
      const key = (name: string) => `${prefix}${name}`;
      const ask = (...command: string[]) => client.sendCommand(command);
      const all = (list: string) => ask('ZRANGE', key(list), '0', '-1') as Promise<string[]>;
      for (const ref of await all('sending')) await ask('ZADD', key('sending'), '0', ref);
      for (const id of await all('posting')) {
        const due = (await ask('HGET', key(`row:${id}`), 'dueAt')) as string;
        const token = (await ask('HGET', key(`row:${id}`), 'token')) as string;
        await ask('HDEL', key('posters'), token);
        await ask('HSET', key(`row:${id}`), 'state', 'due', 'token', '');
        await ask('ZREM', key('posting'), id);
        await ask('ZADD', key('due:again'), due, id);
      }
      const next = await boot();
      await next.recover();
      return next;
    },
    async close() {
      await expectIndexesRight(client, prefix);
      for (const connection of connections) connection.close();
    },
  };
}

/** For the contract suite and the model. */
export function openRedisFor(url: () => string, open?: (url: string) => Promise<Connection>): OpenLedger {
  return ({ limits, clock }) => openOnRedis(url(), limits, clock, open);
}
