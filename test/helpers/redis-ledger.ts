import { randomUUID } from 'node:crypto';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerLimits } from '../../src/ledger/model/ledger-limits.ts';
import { type Connection, connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { createSteps } from '../../src/store/steps.ts';
import { dumpRedis } from './dump-store.ts';
import { expectWhole } from './expect-whole.ts';
import type { HandClock, OpenLedger, Rig } from './ledger-fixtures.ts';

/** A long time for a step: a thousand at once must not fail on a busy machine. */
const STEP_MS = 20_000;

/**
 * An engine on a prefix of its own, so that one server is enough for all tests. Without a clock, it uses Redis's.
 * `open` makes the connection of each boot.
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
    const { client } = connection;
    const engine = createRedisEngine({
      client,
      prefix,
      epoch,
      stepMs: STEP_MS,
      ...(clock ? { clock: clock.now } : {}),
    });
    return createLedger(createSteps(engine, STEP_MS), limits);
  }
  const ledger = await boot();
  const [{ client }] = connections as [Connection];
  await client.sendCommand(['SET', `${prefix}epoch`, epoch]);

  return {
    ledger,
    /** Another bot. */
    join: boot,
    // A boot takes nothing over here, since other bots may be alive. So the next boot comes after the dead bot's
    // deadlines, when the contract's rules for a next boot hold.
    async reopen() {
      const next = await boot();
      await next.takeOver();
      await next.recover();
      return next;
    },
    async close() {
      try {
        expectWhole(await dumpRedis(client, prefix));
      } finally {
        for (const connection of connections) connection.close();
      }
    },
  };
}

/** The engine for the contract suite and the model. */
export function openRedisFor(url: () => string, open?: (url: string) => Promise<Connection>): OpenLedger {
  return ({ limits, clock }) => openOnRedis(url(), limits, clock, open);
}
