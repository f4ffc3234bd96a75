import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unusableFile } from '../store-error.ts';
import { writeDurably } from '../write-durably.ts';
import { createAsk, STEP_MS, withTimeout } from './ask.ts';
import { expectConfirmed, sendConfirmed } from './confirmed.ts';
import type { RedisClient } from './connect.ts';
import { lineageOf } from './lineage.ts';
import { LEDGER_PREFIX } from './prefix.ts';

/** Where the count of all bots' renewals is. */
export const MARK_KEY = `${LEDGER_PREFIX}mark`;
/** More than all renewals of any bot. */
const FAR = 1_000_000_000;

/**
 * Tells an older copy of Redis's data from the data that this bot used last. All bots count their renewals in Redis, and
 * each keeps the last count in a file of its own. So a copy from before has a lower count than the file.
 * @param given `epoch` names the life of the store: what the bot knows of another one counts for nothing
 * @throws StoreError if the file can't be used
 */
export async function openMark(
  client: RedisClient,
  { dataDir, epoch, replicas }: { dataDir: string; epoch: string; replicas: number },
) {
  const file = join(dataDir, 'redis-mark');
  const lineage = lineageOf(epoch);
  const [seenIn, seen] = (await readMark(file)).split(' ');
  const found = Number(await createAsk(client, 'start')('GET', MARK_KEY));
  const ahead = seenIn === lineage ? Number(seen) - found : 0;
  const isOldCopy = ahead > 0;
  /** The other bots may have seen the copy's later renewals, too. So the first renewal of an old copy passes them all. */
  let step = isOldCopy ? ahead + FAR : 1;
  let isChanged = true;

  return {
    /** Whether the data are an older copy. False if this bot has no file. */
    isOldCopy,
    noteChange(): void {
      isChanged = true;
    },
    /** Renews the mark, if something has changed since the last call. Call it again only after its end. */
    async renew(): Promise<void> {
      if (!isChanged) return;
      isChanged = false;
      try {
        const counting = sendConfirmed(client, ['INCRBY', MARK_KEY, String(step)], replicas);
        const [count, confirmed] = await withTimeout(STEP_MS, 'mark', counting);
        // A replica without this count may take over. Its data would look old.
        expectConfirmed(confirmed, replicas);
        await writeDurably(file, `${lineage} ${count}\n`);
        step = 1;
      } catch (error) {
        isChanged = true;
        throw error;
      }
    },
  };
}

async function readMark(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw unusableFile(file, error);
  }
}
