import { randomBytes } from 'node:crypto';
import { accounts, dailySpending } from '../../ledger/accounts/account-documents.ts';
import { ownerOf } from '../../ledger/accounts/outcome-counts.ts';
import { COLLECTIONS } from '../../ledger/collections.ts';
import { type ChunkDocument, chunkRefOf, chunks } from '../../ledger/model/chunk-documents.ts';
import { type SendDocument, sends } from '../../ledger/model/send-documents.ts';
import { namedStates, outbox } from '../../ledger/outbox/outbox-documents.ts';
import { keyPermits } from '../../ledger/permits/permit-documents.ts';
import { addressOf, type Collection } from '../../store/collection.ts';
import { keysOf } from '../../store/known-document.ts';
import type { Engine, IndexEntry, StoredDocumentWithId } from '../../store/store.ts';
import { accountOf, chunkOf, dayOf, permitsOf, rowOf, sendOf, stateOf } from './old-documents.ts';

/** Turns a document of any earlier format into today's. Collections that are not here never changed. */
const TODAY: { [collection: string]: (old: never, id: string, engine: Engine) => unknown } = {
  [sends.name]: sendOf,
  [chunks.name]: async (old, id, engine) => withOwner(engine, id, chunkOf(old)),
  [accounts.name]: accountOf,
  [keyPermits.name]: permitsOf,
  [outbox.name]: rowOf,
  [namedStates.name]: stateOf,
  [dailySpending.name]: dayOf,
};

/** What collections were called before. Nothing is left there. */
export const OLD_NAMES: { [collection: string]: string } = {
  [keyPermits.name]: 'lanes',
  [namedStates.name]: 'episodes',
  [dailySpending.name]: 'days',
};

/**
 * Brings documents of every earlier format to today's, and makes all entries of all indexes again. Nobody else writes
 * meanwhile. What is cut short is begun again, and does no harm twice.
 */
export async function rewriteDocuments(engine: Engine, clearIndexes: () => Promise<void>): Promise<void> {
  await clearIndexes();
  for (const of of COLLECTIONS as readonly Collection<unknown>[]) {
    for (const name of [of.name, OLD_NAMES[of.name]]) {
      if (name === undefined) continue;
      for await (const page of engine.documents(name)) await rewritePage(engine, name, of, page);
    }
  }
}

async function rewritePage(
  engine: Engine,
  from: string,
  to: Collection<unknown>,
  page: StoredDocumentWithId[],
): Promise<void> {
  const today = TODAY[to.name];
  const puts = [];
  const added: IndexEntry[] = [];
  for (const { id, text } of page) {
    const old = JSON.parse(text);
    const value = today ? await today(old as never, id, engine) : old;
    const stored = { version: randomBytes(9).toString('base64url'), text: JSON.stringify(value) };
    if (today) puts.push({ address: addressOf(to, id), stored, isAtRest: to.isAtRest?.(value) ?? false });
    for (const [index, key] of Object.entries(keysOf(to, { value }))) {
      if (key !== undefined) added.push({ collection: to.name, index, key, id });
    }
  }
  const deletes = from === to.name ? [] : page.map(({ id }) => ({ collection: from, id }));
  if (puts.length + added.length === 0) return;
  const change = { expected: [], puts, deletes, entries: { added, removed: [] } };
  const { outcome } = await engine.commit({ ...change, at: engine.now(), isSynced: true });
  if (outcome !== 'ok') throw new Error(`documents of ${from} could not be written: ${outcome}`);
}

/** A chunk that is unknown names its owner. */
async function withOwner(engine: Engine, id: string, chunk: ChunkDocument): Promise<ChunkDocument> {
  if (chunk.state !== 'unknown') return chunk;
  const { documents } = await engine.read([addressOf(sends, chunkRefOf(id).send)], []);
  const [send] = documents;
  return send ? { ...chunk, owner: ownerOf(JSON.parse(send.text) as SendDocument) } : chunk;
}
