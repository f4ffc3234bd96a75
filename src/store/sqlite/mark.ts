import { randomUUID } from 'node:crypto';
import { readSmallFile, writeDurably } from '../small-files.ts';
import { retryWhileBusy } from './busy-retry.ts';
import type { Database } from './open.ts';

/** The mark of a database that has none yet. */
const NONE = 'none';

/**
 * Tells an older copy of the database from the one that the bot used last. The database and a file beside it hold the same
 * random mark, and the bot changes both while it works. So a copy from before has another mark than the file.
 * @throws StoreError if the file can't be used, or SQLite's error
 */
export function createMark(db: Database, file: string) {
  db.raw.exec('CREATE TABLE IF NOT EXISTS mark (id TEXT NOT NULL) STRICT');
  const read = db.sql('SELECT id FROM mark');
  const changes = db.sql('SELECT total_changes() AS count');
  const inDatabase = () => String(read.get()?.id ?? NONE);
  const inFile = readSmallFile(file).split(' ').filter(Boolean);
  let renewedAt: unknown;

  return {
    /** Whether the database is an older copy. False if there is no file beside it. */
    isOldCopy: inFile.length > 0 && !inFile.includes(inDatabase()),
    /** Changes the mark, if this process has changed anything since the last call. Never run two at once. */
    async renew(): Promise<void> {
      if (changes.get()?.count === renewedAt) return;
      const next = randomUUID();
      // Until the commit nobody knows which mark will last, also after a power cut. So the file names both.
      await writeDurably(file, `${inDatabase()} ${next}\n`);
      await retryWhileBusy(() =>
        db.transaction(() => {
          db.sql('DELETE FROM mark').run();
          db.sql('INSERT INTO mark (id) VALUES (?)').run(next);
        }),
      );
      // What changes from here on needs another mark.
      const renewed = changes.get()?.count;
      await writeDurably(file, `${next}\n`);
      renewedAt = renewed;
    },
  };
}

/** From now on no database fits the file, until a bot renews its mark. Syncs the folder, too. */
export async function refuseMark(file: string): Promise<void> {
  await writeDurably(file, 'moved\n');
}
