import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { LedgerLimits } from '../../../src/ledger/model/ledger-limits.ts';
import { connect } from '../../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../../src/store/redis/engine.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { dumpRedis, dumpSqlite } from '../../helpers/dump-store.ts';
import { expectWhole } from '../../helpers/expect-whole.ts';
import { LIMITS } from '../../helpers/ledger-fixtures.ts';
import type { StorePlace } from './ledger-child.ts';

/** An engine for runs in which processes are killed. */
export interface KillEngine {
  leaseMs: number;
  /** How many kill points a commit has at least. */
  strikes: number;
  /** How many more announcements a send may get if the bot finds `lostChunks` of its chunks unknown. */
  moreNews(lostChunks: number): number;
  newStore(): Promise<KillStore>;
  close(): void;
}

/** An empty store of one run. */
export interface KillStore {
  place: StorePlace;
  /** Reads the ledger of the dead process. Its indexes and counters must be right. */
  read<T>(work: (ledger: Ledger) => Promise<T>): Promise<T>;
  remove(): Promise<void>;
}

/** The embedded engine: a new process takes over a dead one's work at once. */
export function killSqlite(): KillEngine {
  return {
    leaseMs: 30_000,
    // The points are before and after the commit, and the transaction's begin, end and two writes.
    strikes: 6,
    // A process gives up all chunks of a send in one step.
    moreNews: () => 0,
    async newStore() {
      const dataDir = mkdtempSync(join(tmpdir(), 'switchboard-'));
      return {
        place: { dataDir },
        async read(work) {
          const db = openDatabase(dataDir);
          try {
            expectWhole(dumpSqlite(db));
            return await work(createLedger(createSteps(createSqliteEngine(db)), LIMITS));
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

/** The shared engine, by Redis's own clock: a dead process's work is given up after its lease. */
export async function killRedis(url: string): Promise<KillEngine> {
  const connection = await connect(url);
  const { client } = connection;
  const leaseMs = 1000;
  const limits: LedgerLimits = { ...LIMITS, leaseMs };
  return {
    leaseMs,
    // The points are before the commit, after it was written to Redis, and after its answer.
    strikes: 3,
    moreNews: (lostChunks) => lostChunks,
    async newStore() {
      const prefix = `kill-${randomUUID()}:`;
      const epoch = randomUUID();
      await client.sendCommand(['SET', `${prefix}epoch`, epoch]);
      const engine = createRedisEngine({ client, prefix, epoch, stepMs: 20_000 });
      const ledger = createLedger(createSteps(engine, 20_000), limits);
      return {
        place: { url, prefix, epoch },
        async read(work) {
          // When Redis answers, it has done everything that the dead process asked for.
          await client.sendCommand(['PING']);
          expectWhole(await dumpRedis(client, prefix));
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
