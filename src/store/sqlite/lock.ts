import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../make-folder.ts';
import { BUSY, resultCodeOf, StoreError, unusableFile } from '../store-error.ts';

/** The locks of this process. Garbage collection would close a lock that nothing refers to, and so free it. */
const HELD = new Set<DatabaseSync>();

/** What a command says that needs the bot stopped. */
export function botRuns(dataDir: string): string {
  return `A bot is using ${dataDir}: stop it first. Nothing was changed.`;
}

/**
 * Makes sure that one bot at a time uses a data folder. Holds an exclusive lock on `DATA_DIR/bot.lock` while the
 * process lives. The system frees the lock even after kill -9.
 * @throws StoreError `locked`, with the sentence `inUse`, when another bot still holds it after `waitMs` milliseconds.
 */
export function lockDataDir(
  dataDir: string,
  waitMs = 10_000,
  inUse = `Another bot is using ${dataDir}: stop it first, or give this one a DATA_DIR of its own.`,
): { release(): void } {
  const file = join(dataDir, 'bot.lock');
  let lock: DatabaseSync | undefined;
  try {
    makeFolder(dataDir);
    lock = new DatabaseSync(file, { timeout: waitMs });
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    if (resultCodeOf(error) === BUSY) throw new StoreError('locked', inUse, { cause: error });
    throw unusableFile(file, error);
  }
  const held = lock;
  HELD.add(held);
  return {
    release() {
      HELD.delete(held);
      held.close();
    },
  };
}
