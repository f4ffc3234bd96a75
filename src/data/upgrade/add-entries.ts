import { COLLECTIONS } from '../../ledger/collections.ts';
import type { Collection } from '../../store/collection.ts';
import { keysOf } from '../../store/known-document.ts';
import type { Engine, IndexEntry } from '../../store/store.ts';

/**
 * Adds missing entries to the indexes: documents of an earlier version are in no index that is newer. Nobody else may
 * write meanwhile. If it is cut short, run it again: it does no harm twice.
 */
export async function addEntries(engine: Engine): Promise<void> {
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
