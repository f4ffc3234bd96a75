import { type Asked, createBatchReads } from './batch-reads.ts';
import type { DocumentCache } from './document-cache.ts';
import { entriesOf, type KnownDocument, keysOf, knownFrom } from './known-document.ts';
import { createStepView, NOT_READ, type Writes, type WrittenDocument } from './step-view.ts';
import type { Change, Snapshot } from './store.ts';
import type { Step } from './view.ts';

/** What a step returned, or the error that it threw. */
export type StepOutcome<T> = { answer: T } | { error: unknown };

/** A change, and the documents known by name once it is committed. */
interface PendingChange {
  change: Change;
  documents: Map<string, KnownDocument>;
}

export type StepBatch = ReturnType<typeof createStepBatch>;

/**
 * Runs steps one after the other: each sees what earlier steps wrote, and one commit carries them all. `version` makes
 * a version that was never used. `now` is the store's clock, as far as this process knows it.
 */
export function createStepBatch(options: { now: number; cache: DocumentCache; version(): string }) {
  let { now } = options;
  const reads = createBatchReads(options.cache);
  const read = new Set<string>();
  const written = new Map<string, WrittenDocument>();
  let before: number | undefined;
  let isSynced = false;

  function expected(): Change['expected'] {
    return [...new Set([...read, ...written.keys()])].flatMap((name) => {
      const known = reads.findUsed(name);
      return known ? [{ address: known.address, version: known.version }] : [];
    });
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

    /**
     * What the steps must read before they count; undefined if nothing. Compares cached documents in the same trip. If
     * the steps write nothing, no commit compares what they used: then all of it must be of one moment.
     */
    readsNeeded(): Asked | undefined {
      const missing = reads.missing();
      if (missing) return { ...missing, documents: [...missing.documents, ...reads.unchecked(read)] };
      const documents = written.size === 0 ? reads.unlessOfOneMoment(read) : [];
      return documents.length > 0 ? { documents, ranges: [] } : undefined;
    },

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

    /** The change to commit; undefined if the steps wrote nothing. */
    pendingChange(): PendingChange | undefined {
      if (written.size === 0) return undefined;
      const change: Change = {
        expected: expected(),
        puts: [],
        deletes: [],
        entries: { added: [], removed: [] },
        ...(before !== undefined && { before }),
        at: now,
        isSynced,
      };
      const documents = new Map<string, KnownDocument>();
      for (const [name, write] of written) {
        const { of, address, value } = write;
        const keys = keysOf(of, write);
        const old = reads.findUsed(name);
        const oldKeys = old ? keysOf(of, old) : {};
        change.entries.removed.push(...entriesOf(address, oldKeys, keys));
        change.entries.added.push(...entriesOf(address, keys, oldKeys));
        if (value === undefined) {
          change.deletes.push(address);
          documents.set(name, { ...knownFrom(address, undefined), keys });
        } else {
          const stored = { version: options.version(), text: JSON.stringify(value) };
          change.puts.push({ address, stored, isAtRest: of.isAtRest?.(value) ?? false });
          const { version, text } = stored;
          documents.set(name, { address, version, value, keys, characters: text.length });
        }
      }
      return { change, documents };
    },

    /** Puts what was committed into the cache. */
    remember({ change, documents }: PendingChange): void {
      for (const [name, document] of documents) options.cache.put(name, document);
      options.cache.applyEntries(change.entries);
    },
  };
}
