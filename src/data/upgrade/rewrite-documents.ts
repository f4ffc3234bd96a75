import { accounts, dailySpending } from '../../ledger/accounts/account-documents.ts';
import { namedStates } from '../../ledger/accounts/named-states.ts';
import { ownerOf } from '../../ledger/accounts/outcome-counts.ts';
import { COLLECTIONS } from '../../ledger/collections.ts';
import { chunkRefOf, chunks } from '../../ledger/model/chunk-documents.ts';
import { type SendDocument, sends } from '../../ledger/model/send-documents.ts';
import { outbox } from '../../ledger/outbox/outbox-documents.ts';
import { keyPermits } from '../../ledger/permits/permit-documents.ts';
import { addressOf, type Collection } from '../../store/collection.ts';
import type { Engine } from '../../store/store.ts';
import { commitPuts, type Put, put } from '../put.ts';
import { storedValue } from '../stored-value.ts';
import * as old from './old-documents.ts';

/** Turns a document of any earlier format into today's, by its collection. All other collections never changed. */
const TODAY: { [collection: string]: (document: never, id: string, engine: Engine) => unknown } = {
  [sends.name]: old.sendOf,
  [chunks.name]: async (chunk, id, engine) => withOwner(engine, id, old.chunkOf(chunk)),
  [accounts.name]: old.accountOf,
  [keyPermits.name]: old.permitsOf,
  [outbox.name]: old.rowOf,
  [namedStates.name]: old.stateOf,
  [dailySpending.name]: old.renamed,
};

/** Earlier names of collections. An upgrade leaves nothing under them. */
export const OLD_NAMES: { [collection: string]: string } = {
  [keyPermits.name]: 'lanes',
  [namedStates.name]: 'episodes',
  [dailySpending.name]: 'days',
};

/**
 * Turns documents of every earlier format into today's, and makes all entries of all indexes again. Nobody else may write
 * meanwhile. Run it again if it is cut short: twice does no harm.
 */
export async function rewriteDocuments(engine: Engine, clearIndexes: () => Promise<void>): Promise<void> {
  await clearIndexes();
  for (const collection of COLLECTIONS as readonly Collection<unknown>[]) {
    const { name, indexes } = collection;
    if (!TODAY[name] && Object.keys(indexes).length === 0) continue;
    await rewrite(engine, name, collection);
    const before = OLD_NAMES[name];
    if (before !== undefined) await rewrite(engine, before, collection);
  }
}

async function rewrite(engine: Engine, from: string, to: Collection<unknown>): Promise<void> {
  const today = TODAY[to.name] ?? ((same) => same);
  for await (const page of engine.documents(from)) {
    const puts: Put[] = [];
    for (const stored of page) {
      const { id } = stored;
      puts.push(put(to, id, await today(storedValue(from, stored) as never, id, engine)));
    }
    const moved = from === to.name ? [] : page.map(({ id }) => ({ collection: from, id }));
    await commitPuts(engine, puts, moved);
  }
}

/** The chunk; if it is unknown, with its owner. */
async function withOwner(engine: Engine, id: string, chunk: old.Fields): Promise<old.Fields> {
  if (chunk.state !== 'unknown') return chunk;
  const { documents } = await engine.read([addressOf(sends, chunkRefOf(id).send)], []);
  const [send] = documents;
  return send ? { ...chunk, owner: ownerOf(JSON.parse(send.text) as SendDocument) } : chunk;
}
