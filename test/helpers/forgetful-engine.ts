import type { Engine } from '../../src/store/store.ts';
import { createMemoryEngine } from './memory-engine.ts';

/** An engine that fails over: from `cutOff` on, its replica misses all writes; after `failOver`, only the replica is left. */
export function forgetfulEngine(now: () => number): Engine & { cutOff(): void; failOver(): void } {
  const replica = createMemoryEngine(now);
  let current = createMemoryEngine(now);
  let replicates = true;
  return {
    now,
    read: (...asked) => current.read(...asked),
    documents: (collection) => current.documents(collection),
    async commit(change, until) {
      const committed = await current.commit(change, until);
      if (replicates && committed.outcome === 'ok') await replica.commit(change);
      return committed;
    },
    cutOff() {
      replicates = false;
    },
    failOver() {
      replicates = false;
      current = replica;
    },
  };
}
