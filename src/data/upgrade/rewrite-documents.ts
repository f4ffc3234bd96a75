import { dailySpending, keyPermits, namedStates, sends } from '../../ledger/documents.ts';
import { addressOf, type Collection } from '../../store/collection.ts';
import { computeKeys } from '../../store/known-document.ts';
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
  oldPermits,
  oldRows,
  oldSends,
  oldStates,
  rowOf,
  sendOf,
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
  await addEntries(engine, sends);
  await rewrite(oldChunks, chunkOf);
  await rewrite(oldAccounts, accountOf);
  await rewrite(oldRows, rowOf);
  await move(oldDays, dailySpending, dayOf);
  await move(oldPermits, keyPermits, (permits) => permits);
  await move(oldStates, namedStates, (state) => state);
}

/**
 * Writes the entries of documents that stay as they are: an index may be younger than they are. An entry that is there
 * already stays the one that it is.
 */
async function addEntries<T>(engine: Engine, of: Collection<T>): Promise<void> {
  const { name: collection } = of;
  for await (const page of engine.documents(collection)) {
    const added = page.flatMap(({ id, text }) =>
      Object.entries(computeKeys(of, JSON.parse(text) as T)).flatMap(([index, key]): IndexEntry[] =>
        key === undefined ? [] : [{ collection, index, key, id }],
      ),
    );
    const change = { expected: [], puts: [], deletes: [], entries: { added, removed: [] } };
    const { outcome } = await engine.commit({ ...change, at: engine.now(), isSynced: true });
    if (outcome !== 'ok') throw new Error(`entries of ${collection} were refused: ${outcome}`);
  }
}
