import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A write that is durable when it resolves. */
export interface RawWrite {
  write(): Promise<void>;
  close(): void;
}

/** The least durable write on SQLite: a transaction that changes one row and is synced to the disk. */
export function openRawSqlite(folder: string): RawWrite {
  const db = new DatabaseSync(join(folder, 'raw.db'));
  db.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY, n INTEGER NOT NULL); INSERT INTO one VALUES (1, 0)');
  const update = db.prepare('UPDATE one SET n = n + 1 WHERE id = 1');
  return {
    async write() {
      db.exec('BEGIN IMMEDIATE');
      update.run();
      db.exec('COMMIT');
    },
    close: () => db.close(),
  };
}

const SCRIPT = "return redis.call('HINCRBY', KEYS[1], 'n', 1)";
const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** The least durable write on Redis: a script that changes one field, over the caller's connection. */
export async function openRawRedis(client: {
  sendCommand(args: string[]): Promise<unknown>;
}): Promise<Pick<RawWrite, 'write'>> {
  await client.sendCommand(['SCRIPT', 'LOAD', SCRIPT]);
  return {
    async write() {
      await client.sendCommand(['EVALSHA', SHA, '1', 'bench:raw']);
    },
  };
}
