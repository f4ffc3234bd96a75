import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ledger, LedgerLimits } from '../../../src/store/ledger.ts';
import { connect } from '../../../src/store/redis/connect.ts';
import { createRedisLedger } from '../../../src/store/redis/ledger.ts';
import { createRunner } from '../../../src/store/redis/run.ts';
import { createSqliteLedger } from '../../../src/store/sqlite/ledger.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { LIMITS } from '../../helpers/ledger-fixtures.ts';
import type { StorePlace } from './ledger-child.ts';
import { MEMORY_FOLDER } from './memory-folder.ts';

/** An engine, as those see it who kill what runs on it. */
export interface KillEngine {
  leaseMs: number;
  /** How many announcements a send may get more than one, for so many of its chunks found unknown. */
  moreNews(lostChunks: number): number;
  newStore(): Promise<KillStore>;
  close(): void;
}

/** An empty store of one run. */
export interface KillStore {
  place: StorePlace;
  /** Reads the ledger as the dead left it. */
  read<T>(work: (ledger: Ledger) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/** The embedded engine: a boot takes over at once what a dead one held. */
export function killSqlite(): KillEngine {
  return {
    leaseMs: 30_000,
    // A boot gives all of a send's chunks up in one step.
    moreNews: () => 0,
    async newStore() {
      const dataDir = mkdtempSync(join(MEMORY_FOLDER, 'switchboard-'));
      return {
        place: { dataDir },
        async read(work) {
          const db = openDatabase(dataDir);
          try {
            return await work(createSqliteLedger(db, LIMITS));
          } finally {
            db.close();
          }
        },
        remove: async () => rmSync(dataDir, { recursive: true, force: true }),
      };
    },
    close() {},
  };
}

/** The shared engine, by Redis's own clock: what a dead boot held is given up when its lease is over. */
export async function killRedis(url: string): Promise<KillEngine> {
  const connection = await connect(url);
  const { client } = connection;
  const leaseMs = 1000;
  const limits: LedgerLimits = { ...LIMITS, leaseMs };
  return {
    leaseMs,
    moreNews: (lostChunks) => lostChunks,
    async newStore() {
      const prefix = `kill-${randomUUID()}:`;
      const epoch = randomUUID();
      await client.sendCommand(['SET', `${prefix}epoch`, epoch]);
      const ledger = createRedisLedger(createRunner({ client, prefix, epoch, stepMs: 20_000 }), limits);
      return {
        place: { url, prefix, epoch },
        async read(work) {
          // By its answer Redis has done what the dead one had still asked for.
          await client.sendCommand(['PING']);
          return work(ledger);
        },
        async remove() {
          const keys = (await client.sendCommand(['KEYS', `${prefix}*`])) as string[];
          await client.sendCommand(['UNLINK', ...keys]);
        },
      };
    },
    close: () => connection.close(),
  };
}
