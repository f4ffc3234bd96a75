import { type Asked, createBatchReads } from './batch-reads.ts';
import type { DocumentCache } from './document-cache.ts';
import { type KnownDocument, keysOf } from './known-document.ts';
import { createStepView, NOT_READ, type Writes, type WrittenDocument } from './step-view.ts';
import type { Change, Snapshot } from './store.ts';
import type { Step } from './view.ts';

/** What a step returned, or the error that it threw. */
export type StepOutcome<T> = { answer: T } | { error: unknown };

/**
 * Runs steps one after the other: each sees what earlier steps wrote, and one commit carries them all. `version` makes
 * a version that was never used. `now` is the store's clock, as far as this process knows it.
 */
export function createStepBatch(options: {
  now: number;
  cache: DocumentCache;
  version(): string;
  onDamaged(error: Error): void;
}) {
  let { now } = options;
  const reads = createBatchReads(options.cache, options.onDamaged);
  const read = new Set<string>();
  const written = new Map<string, WrittenDocument>();
  let before: number | undefined;
  let isSynced = false;

  function expected(): Change['expected'] {
    for (const name of written.keys()) read.add(name);
    const found: Change['expected'] = [];
    for (const name of read) {
      const known = reads.findUsed(name);
      if (known) found.push({ address: known.address, version: known.version });
    }
    return found;
  }

  return {
    /** Runs a step. If the step throws, it writes nothing. Undefined if it needs a document that was not read yet. */
    run<T>(step: Step<T>): StepOutcome<T> | undefined {
      const own: Writes = { written: new Map() };
      try {
        const answer = step(createStepView({ now, reads, read, earlier: written, own }));
        if (own.written.size === 0) return { answer };
        // If a key can't be written, only this step fails.
        for (const write of own.written.values()) keysOf(write.of, write);
        for (const [name, write] of own.written) written.set(name, write);
        if (!own.unsyncedAllowed) isSynced = true;
        if (own.before !== undefined) before = Math.min(before ?? own.before, own.before);
        return { answer };
      } catch (error) {
        // Keep its reads, so that the commit compares them: the step may have thrown because of old data.
        return error === NOT_READ ? undefined : { error };
      }
    },

    /** What the steps still need; undefined if they have everything. */
    missingReads: reads.missing,

    /**
     * Adds what the store answered; all steps run again after that. Their time stays the same: a range that ends now
     * would otherwise be another range after each read.
     */
    addRead(asked: Asked, reading: Snapshot): void {
      reads.add(asked, reading);
      read.clear();
      written.clear();
      before = undefined;
      isSynced = false;
    },

    /** Runs all steps for this time from now on, since the last one was too far off. */
    setTime(to: number): void {
      now = to;
    },

    /** The change to commit, and the documents known by name after it; undefined if the steps wrote nothing. */
    pendingChange(): { change: Change; documents: Map<string, KnownDocument> } | undefined {
      if (written.size === 0) return undefined;
      const change: Change = {
        expected: expected(),
        puts: [],
        deletes: [],
        entries: { added: [], removed: [] },
        at: now,
        isSynced,
        ...(before === undefined ? {} : { before }),
      };
      const documents = new Map<string, KnownDocument>();
      for (const [name, write] of written) {
        const { of, address, value } = write;
        const keys = keysOf(of, write);
        const isDeleted = value === undefined;
        const stored = isDeleted ? undefined : { version: options.version(), text: JSON.stringify(value) };
        if (stored) change.puts.push({ address, stored, isAtRest: of.isAtRest?.(value) ?? false });
        else change.deletes.push(address);
        const characters = stored?.text.length ?? 0;
        documents.set(name, { address, version: stored?.version, value, keys, characters });
        const old = reads.findUsed(name);
        const oldKeys = old ? keysOf(of, old) : {};
        const { collection, id } = address;
        for (const index in of.indexes) {
          const was = oldKeys[index];
          const is = keys[index];
          if (was === is) continue;
          if (was !== undefined) change.entries.removed.push({ collection, index, key: was, id });
          if (is !== undefined) change.entries.added.push({ collection, index, key: is, id });
        }
      }
      return { change, documents };
    },

    /** Documents that came from the cache, or count as absent: nobody asked the store. */
    uncheckedReads: () => reads.unchecked(read),

    /** What steps that write nothing must read again, since no commit compares it: nothing, if it is of one moment. */
    readsToCompare: () => reads.unlessOfOneMoment(read),
  };
}
