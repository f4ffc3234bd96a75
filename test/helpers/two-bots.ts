import { randomBytes } from 'node:crypto';
import { openRedisStore } from '../../src/data/shared.ts';
import type { Namespace } from '../../src/records/namespace.ts';
import type { Records } from '../../src/records/records.ts';
import { tapLedger } from './core-ledger.ts';
import { type Boot, boot, type CoreWorld, createCoreWorld, meet } from './core-world.ts';
import { tempFolder } from './ledger-files.ts';
import { type RedisServer, startRedis, withoutRedis } from './redis-server.ts';
import { whenOver } from './side-by-side.ts';

/** Two bots, each with a connection of its own to one store. */
export type TwoBots = { one: Boot; other: Boot };

async function onTheDatabase(): Promise<TwoBots> {
  const world = await createCoreWorld();
  return { one: await boot(world), other: await boot(world) };
}

async function onRedis(): Promise<TwoBots> {
  const world = await createCoreWorld();
  const server = await startRedis();
  whenOver(() => server.close());
  const join = joinRedis(server);
  return { one: await join(world), other: await join(world) };
}

/** Starts an installation's bots on this server. */
export function joinRedis(
  server: Pick<RedisServer, 'url'>,
  { allowVolatile = false } = {},
): (world: CoreWorld) => Promise<Boot> {
  const encryptionKeys = [randomBytes(32)];
  return async (world) => {
    const booted = await boot(world);
    const store = await openRedisStore({
      url: server.url,
      dataDir: tempFolder(),
      encryptionKeys,
      allowVolatile,
      limits: world.limits,
      onDamaged(error) {
        throw error;
      },
    });
    whenOver(() => store.close());
    await meet(store.records, 'T1');
    const tap = tapLedger(store.ledger);
    const fingerprintSecret = await store.records.fingerprintSecret();
    return { ...booted, ...store, tap, ledger: tap.ledger, fingerprintSecret };
  };
}

/** Each engine, for `describe.each`; Redis only if it is installed. */
export const ENGINES = [
  { engine: 'the database', open: onTheDatabase },
  ...(withoutRedis ? [] : [{ engine: 'Redis', open: onRedis }]),
];

/** The same records, but `meanwhile` runs once, right after the first read of a record of this kind. */
export function onceRead<Kind extends 'instances' | 'installations' | 'links' | 'prices' | 'workspaces'>(
  records: Records,
  kind: Kind,
  meanwhile: () => Promise<unknown>,
): Records {
  let happened: Promise<unknown> | undefined;
  const after =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const found = await read(...args);
      happened ??= meanwhile();
      await happened;
      return found;
    };
  const real = records[kind] as Namespace<unknown>;
  return { ...records, [kind]: { ...real, get: after(real.get), stored: after(real.stored) } };
}
