import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DataOptions } from '../../src/data/data.ts';
import { openStore } from '../../src/data/embedded.ts';
import { moveToRedis } from '../../src/data/move/move.ts';
import { openRedisStore } from '../../src/data/shared.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { aJob, confirmed, LIMITS } from '../helpers/ledger-fixtures.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

/** Whether the process dies once it has put the database aside. */
const dies = { atRename: false };

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return {
    ...fs,
    renameSync(from: string, to: string) {
      fs.renameSync(from, to);
      if (dies.atRename && to.endsWith('switchboard-moved.db')) throw new Error('killed');
    },
  };
});

const installation = (): DataOptions => ({
  dataDir: tempFolder(),
  encryptionKeys: [Buffer.alloc(32)],
  limits: LIMITS,
  onDamaged() {},
});

async function filled(options: DataOptions): Promise<void> {
  const store = await openStore(options);
  await confirmed(store.ledger, aJob('j1', [2]));
  store.close();
}

test.skipIf(withoutRedis)(
  'a move that dies once the database is put aside is ended by the next one, and by no other installation’s',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const mine = installation();
    const to = { url: server.url, allowVolatile: false };
    const move = ({ dataDir }: DataOptions) => moveToRedis({ ...to, dataDir });
    await filled(mine);
    dies.atRename = true;
    await expect(move(mine)).rejects.toThrow('killed');
    expect(existsSync(join(mine.dataDir, 'switchboard.db'))).toBe(false);
    await expect(openRedisStore({ ...mine, ...to })).rejects.toThrow(/was cut short/);

    // One that has put its own database aside before, for another Redis.
    const other = installation();
    await filled(other);
    const elsewhere = await startRedis();
    onTestFinished(() => elsewhere.close());
    dies.atRename = false;
    await moveToRedis({ ...to, url: elsewhere.url, dataDir: other.dataDir });
    await expect(move(other)).rejects.toThrow(/nothing to move/);

    expect(await move(mine)).toMatchObject({ aside: join(mine.dataDir, 'switchboard-moved.db') });
    const store = await openRedisStore({ ...mine, ...to });
    onTestFinished(store.close);
    expect(await store.ledger.find('j1')).toMatchObject({ state: 'running' });
    await expect(move(mine)).rejects.toThrow(/nothing to move/);
  },
);

test.skipIf(withoutRedis)(
  'the database stays until as many replicas have everything as are asked for',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const options = installation();
    await filled(options);
    const { dataDir } = options;
    const to = { url: server.url, allowVolatile: false, dataDir };
    await expect(moveToRedis({ ...to, replicas: 1 })).rejects.toThrow(
      /^Only 0 replicas .* run this again\.$/,
    );
    expect(existsSync(join(dataDir, 'switchboard.db'))).toBe(true);
    expect((await moveToRedis(to)).counts).toMatchObject({ sends: 1 });
  },
);
