import { accounts, dailySpending } from '../../ledger/accounts/account-documents.ts';
import { ownerOf } from '../../ledger/accounts/outcome-counts.ts';
import { COLLECTIONS } from '../../ledger/collections.ts';
import { chunkRefOf, chunks } from '../../ledger/model/chunk-documents.ts';
import { sends } from '../../ledger/model/send-documents.ts';
import { namedStates, outbox } from '../../ledger/outbox/outbox-documents.ts';
import { keyPermits } from '../../ledger/permits/permit-documents.ts';
import { addressOf, type Collection } from '../../store/collection.ts';
import { keysOf } from '../../store/known-document.ts';
import type { Steps } from '../../store/steps.ts';
import type { Engine, IndexEntry } from '../../store/store.ts';
import type { View } from '../../store/view.ts';
import {
  accountOf,
  chunkOf,
  dayOf,
  oldAccounts,
  oldChunks,
  oldDays,
  oldLanes,
  oldPermits,
  oldRows,
  oldSends,
  oldStates,
  permitsOf,
  rowOf,
  sendOf,
  stateOf,
} from './old-documents.ts';

/**
 * Brings documents of every earlier format to today's. Nobody else writes meanwhile. What is cut short is begun again,
 * and does no harm twice.
 */
export async function rewriteDocuments(engine: Engine, steps: Steps): Promise<void> {
  async function each<T>(
    of: Collection<T>,
    change: (view: View, id: string, value: T) => void,
  ): Promise<void> {
    for await (const page of engine.documents(of.name)) {
      await steps.run((view) => {
        view.prefetch(...page.map(({ id }) => addressOf(of, id)));
        for (const { id } of page) {
          const value = view.get(of, id);
          if (value !== undefined) change(view, id, value);
        }
      });
    }
  }
  const rewrite = <T>(of: Collection<T>, today: (value: T) => T) =>
    each(of, (view, id, value) => view.put(of, id, today(value)));
  const move = <Old, New>(from: Collection<Old>, to: Collection<New>, today: (value: Old) => New) =>
    each(from, (view, id, value) => {
      view.getAssumingAbsent(to, id);
      view.put(to, id, today(value));
      view.delete(from, id);
    });

  await rewrite(oldSends, sendOf);
  await rewrite(oldChunks, chunkOf);
  await each(chunks, (view, id, chunk) => {
    const send = chunk.state === 'unknown' ? view.get(sends, chunkRefOf(id).send) : undefined;
    if (send) view.put(chunks, id, { ...chunk, owner: ownerOf(send) });
  });
  await each(oldAccounts, (view, id, account) => view.put(accounts, id, accountOf(account)));
  await each(oldRows, (view, id, row) => view.put(outbox, id, rowOf(id, row)));
  await move(oldDays, dailySpending, dayOf);
  await move(oldLanes, keyPermits, permitsOf);
  await each(oldPermits, (view, id, permits) => view.put(keyPermits, id, permitsOf(permits)));
  await move(oldStates, namedStates, (state) => state);
  await each(namedStates, (view, id, state) => view.put(namedStates, id, stateOf(id, state)));
  await addEntries(engine);
}

/**
 * Adds missing entries to the indexes: documents of an earlier version are in no index that is newer. Nobody else may
 * write meanwhile. If it is cut short, run it again: it does no harm twice.
 */
async function addEntries(engine: Engine): Promise<void> {
  for (const collection of COLLECTIONS as readonly Collection<unknown>[]) {
    for await (const page of engine.documents(collection.name)) {
      const added = page.flatMap(({ id, text }) => entriesOf(collection, id, JSON.parse(text)));
      if (added.length === 0) continue;
      const change = { expected: [], puts: [], deletes: [], entries: { added, removed: [] } };
      const { outcome } = await engine.commit({ ...change, at: engine.now(), isSynced: true });
      if (outcome !== 'ok') throw new Error(`entries of ${collection.name} could not be added: ${outcome}`);
    }
  }
}

function entriesOf(of: Collection<unknown>, id: string, value: unknown): IndexEntry[] {
  return Object.entries(keysOf(of, { value })).flatMap(([index, key]) =>
    key === undefined ? [] : [{ collection: of.name, index, key, id }],
  );
}
