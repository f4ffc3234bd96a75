import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../src/store/sqlite/open.ts';
import { type Dump, dumpSqlite } from '../../helpers/dump-store.ts';
import { isAtWork } from './expect-true-outcomes.ts';

/** All work is over by then, in ms: leases, and waits after a refusal. */
const OVER_WITHIN_MS = 60_000;
/** A bot needs less than this to carry out a click, in ms. */
const SOON_MS = 5000;

/** The ledger in a bot's folder. */
export function readLedger(dataDir: string): Dump {
  const raw = new DatabaseSync(join(dataDir, 'switchboard.db'));
  try {
    return dumpSqlite({ raw } as Database);
  } finally {
    raw.close();
  }
}

/** Resolves once no work is in flight or about to begin, but after a while in any case. */
export async function untilWorkIsOver(read: () => Dump | Promise<Dump>): Promise<void> {
  // A click that was just acked may not be in the ledger yet.
  await sleep(SOON_MS);
  for (const until = performance.now() + OVER_WITHIN_MS; performance.now() < until; await sleep(500)) {
    if (!isAtWork(await read())) return;
  }
}
