import {
  type OutboxDocument,
  outbox,
  type SendDocument,
  sends,
  type WaitingRow,
} from '../../ledger/documents.ts';
import { addressOf, type Collection } from '../../store/collection.ts';
import type { Steps } from '../../store/steps.ts';
import type { Engine } from '../../store/store.ts';

/** A row as SQLite's format 7 and Redis's format 2 had it: without `dueAt` it is posted. */
type FlatRow = OutboxDocument & Partial<WaitingRow>;

/** Counts that are none are left out, and what was posted keeps no words. */
export async function compactDocuments(engine: Engine, steps: Steps): Promise<void> {
  await rewrite(engine, steps, sends, (send) => ({ ...send, tally: withoutNone(send.tally) }));
  await rewrite(engine, steps, outbox, nested);
}

function withoutNone(tally: SendDocument['tally']): SendDocument['tally'] {
  const states = Object.entries(tally.states).filter(([, { chunks }]) => chunks > 0);
  return { ...tally, states: Object.fromEntries(states) };
}

function nested({ waiting, posted, postedAt, spacing, ...flat }: FlatRow): OutboxDocument {
  const stays = flat.dueAt === undefined ? waiting : (flat as WaitingRow);
  return {
    ...(stays && { waiting: stays }),
    ...(posted === undefined ? {} : { posted }),
    ...(postedAt === undefined ? {} : { postedAt }),
    ...(spacing === undefined ? {} : { spacing }),
  };
}

/** Rewrites the documents of a collection. Nobody else writes meanwhile. */
async function rewrite<T>(
  engine: Engine,
  steps: Steps,
  of: Collection<T>,
  change: (value: T) => T,
): Promise<void> {
  for await (const page of engine.documents(of.name)) {
    await steps.run((view) => {
      view.prefetch(...page.map(({ id }) => addressOf(of, id)));
      for (const { id } of page) {
        const value = view.get(of, id);
        if (value !== undefined) view.put(of, id, change(value));
      }
    });
  }
}
