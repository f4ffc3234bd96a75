import { join } from 'node:path';
import { readSmallFile, writeDurably } from '../small-files.ts';
import { createAsk, STEP_MS, withTimeout } from './ask.ts';
import { expectConfirmed, sendConfirmed } from './confirmed.ts';
import type { RedisClient } from './connect.ts';
import { lineageOf } from './lineage.ts';
import { LEDGER_PREFIX } from './prefix.ts';

/** Where the count of all bots' renewals is. */
export const MARK_KEY = `${LEDGER_PREFIX}mark`;
/** An idle bot learns the count only at each third call: so it sends few commands. */
const IDLE_CALLS = 3;
/** More than all renewals of any bot. */
const ABOVE_ALL_FILES = 1_000_000_000;

/**
 * Tells an older copy of Redis's data from the data that this bot used last. All bots count their renewals in Redis, and
 * each keeps the highest count in a file of its own. So a copy from before has a lower count than the file.
 * `epoch` names the life of the store: a file from another life does not count. `mayForget`: this server was a replica
 * and may lack the last counts, so a lower one proves nothing.
 * @throws StoreError if the file can't be used
 */
export async function openMark(
  client: RedisClient,
  given: { dataDir: string; epoch: string; replicas: number; mayForget: boolean },
) {
  const { replicas } = given;
  const file = join(given.dataDir, 'redis-mark');
  const lineage = lineageOf(given.epoch);
  const [fileLineage, fileCount] = readSmallFile(file).split(' ');
  const redisCount = Number(await createAsk(client, 'start')('GET', MARK_KEY));
  let known = fileLineage === lineage ? Number(fileCount) : 0;
  const isOldCopy = known > redisCount && !given.mayForget;
  // Other bots' files may hold higher counts than this one's. So the first renewal of an old copy goes above them all.
  let more = isOldCopy ? known - redisCount + ABOVE_ALL_FILES : 1;
  let idleCalls = 0;

  return {
    /** Whether the data are an older copy. False if this bot has no file. */
    isOldCopy,
    noteChange(): void {
      more = Math.max(more, 1);
    },
    /** Renews the mark if this bot has changed something, or learns the count of the others. Never run two at once. */
    async renew(): Promise<void> {
      idleCalls = more > 0 ? 0 : (idleCalls + 1) % IDLE_CALLS;
      if (idleCalls > 0) return;
      const step = more;
      more = 0;
      try {
        // Adding 0 is a write, too. So replicas confirm the count before this bot relies on it.
        const counting = sendConfirmed(client, ['INCRBY', MARK_KEY, String(step)], replicas);
        const [count, confirmed] = await withTimeout(STEP_MS, 'mark', counting);
        expectConfirmed(confirmed, replicas);
        // A lower count shows that Redis lost data while this bot ran. Then its next start still tells.
        if (Number(count) <= known) return;
        await writeDurably(file, `${lineage} ${count}\n`);
        known = Number(count);
      } catch (error) {
        more = Math.max(more, step);
        throw error;
      }
    },
  };
}
