import { COLLECTIONS } from '../../ledger/collections.ts';
import { sends } from '../../ledger/model/send-documents.ts';
import { countOf } from '../../ledger/model/tally.ts';
import { keyListKey, recordKey } from '../../records/redis/record-store.ts';
import { createSqliteRecords } from '../../records/sqlite/record-store.ts';
import { startingWith } from '../../store/keys.ts';
import type { Ask } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { PREFIX } from '../../store/redis/prefix.ts';
import { scanKeys } from '../../store/redis/scan-keys.ts';
import type { Database } from '../../store/sqlite/open.ts';
import { createSteps } from '../../store/steps.ts';
import type { Engine } from '../../store/store.ts';
import { unusable } from '../../store/store-error.ts';
import { put, putAll } from '../put.ts';
import { storedValue } from '../stored-value.ts';

/** The longest that one step of a move may take, in ms. */
export const MOVE_STEP_MS = 10_000;

/** How much a store holds. `documents`: sends and all else. */
export interface StoreCounts {
  records: number;
  sends: number;
  documents: number;
}

/** How many requests were on their way when the bot ended. */
export function countSending(engine: Engine): Promise<number> {
  return createSteps(engine).run((view) =>
    view
      .list(sends, 'open', startingWith([]))
      .reduce((sum, { value }) => sum + countOf(value.tally, 'sending').chunks, 0),
  );
}

/** Copies all documents into an empty store, and counts them there. @throws StoreError if the counts differ */
export async function copyDocuments(from: Engine, to: Engine): Promise<Omit<StoreCounts, 'records'>> {
  const counts = { sends: 0, documents: 0 };
  for (const collection of COLLECTIONS) {
    let copied = 0;
    for await (const page of from.documents(collection.name)) {
      const puts = page.map((stored) =>
        put(collection, stored.id, storedValue(collection.name, stored) as never),
      );
      await putAll(to, puts);
      copied += page.length;
    }
    let found = 0;
    for await (const page of to.documents(collection.name)) found += page.length;
    expectCount(collection.name, copied, found);
    counts.documents += copied;
    if (collection.name === sends.name) counts.sends = copied;
  }
  return counts;
}

/** Copies all records, and counts them there. `ask` writes them. Resolves to their count. @throws as `copyDocuments` */
export async function copyRecords(db: Database, client: RedisClient, ask: Ask): Promise<number> {
  // Makes the table of records, if no bot has made it.
  createSqliteRecords(db);
  const rows = db.raw.prepare('SELECT namespace, key, value FROM kv').iterate();
  let copied = 0;
  for (const { namespace, key, value } of rows) {
    await ask('ZADD', keyListKey(String(namespace)), '0', String(key));
    await ask('SET', recordKey(String(namespace), String(key)), String(value));
    copied += 1;
  }
  let found = 0;
  for await (const key of scanKeys(client, PREFIX)) if (IS_RECORD.test(key.slice(PREFIX.length))) found += 1;
  expectCount('records', copied, found);
  return copied;
}

/** Keys of records have a namespace in front of `::`; keys of the ledger have none. */
const IS_RECORD = /^[^:]+::/;

function expectCount(kind: string, copied: number, found: number): void {
  if (copied === found) return;
  throw unusable(
    `Redis has ${found} ${kind} instead of ${copied}: something else writes to it. The database stays as it was; run this again.`,
  );
}
