import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../src/store/redis/engine.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';
import { countThings, thingsIn } from './helpers/counting.ts';
import { tempFolder } from './helpers/temp-folder.ts';

const ROUNDS = 8;

/** A moment within a round, in ms; each round has another one. */
const moment = (round: number) => 15 + 23 * round;

describe('a kill -9 in the middle of commits', () => {
  test('of a process on SQLite: every acknowledged commit is there, and every commit is whole', async () => {
    const folder = tempFolder();
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, 'helpers/counting-process.ts'), folder],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let said = '';
      child.stdout.on('data', (text) => {
        said += text;
      });
      await once(child.stdout, 'data');
      await sleep(moment(round));
      child.kill('SIGKILL');
      await once(child, 'close');
      const acknowledged = Number(said.trimEnd().split('\n').at(-1));

      const db = openDatabase(folder);
      const { count, found, wanted } = await thingsIn(createSqliteEngine(db));
      db.close();
      expect(count).toBeGreaterThanOrEqual(acknowledged);
      expect(found).toEqual(wanted);
    }
  });

  test.skipIf(withoutRedis)('of Redis: the same', async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await connect(server.url);
      const { client } = connection;
      await client.sendCommand(['SET', 'test:epoch', 'e']);
      const engine = createRedisEngine({ client, prefix: 'test:', epoch: 'e', stepMs: 20_000 });
      let acknowledged = 0;
      const stopped = countThings(engine, (count) => {
        acknowledged = count;
      }).catch((error: unknown) => error);
      await expect.poll(() => acknowledged).toBeGreaterThan(0);
      await sleep(moment(round));
      await server.restart();
      expect(await stopped).toMatchObject({ code: 'refused' });
      connection.close();

      const again = await connect(server.url);
      const next = createRedisEngine({ client: again.client, prefix: 'test:', epoch: 'e', stepMs: 20_000 });
      const { count, found, wanted } = await thingsIn(next);
      again.close();
      expect(count).toBeGreaterThanOrEqual(acknowledged);
      expect(found).toEqual(wanted);
    }
  });
});
