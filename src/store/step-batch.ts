import { type Asked, createBatchReads } from './batch-reads.ts';
import type { DocumentCache } from './document-cache.ts';
import { type DocumentKeys, type KnownDocument, keysOf } from './known-document.ts';
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
      const limits = { at: now, isSynced, ...(before === undefined ? {} : { before }) };
      const change: Change = {
        ...limits,
        expected: expected(),
        puts: [],
        deletes: [],
        entries: { added: [], removed: [] },
      };
      const documents = new Map<string, KnownDocument>();
      for (const [name, write] of written) {
        const document = addWrite(change, write, options.version);
        documents.set(name, document);
        const old = reads.findUsed(name);
        addEntries(change.entries, write, old ? keysOf(write.of, old) : {});
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

/** Adds a written document to a change. Returns it as it is known once that is committed. */
function addWrite(change: Change, write: WrittenDocument, version: () => string): KnownDocument {
  const { of, address, value } = write;
  const keys = keysOf(of, write);
  if (value === undefined) {
    change.deletes.push(address);
    return { address, version: undefined, value, keys, characters: 0 };
  }
  const stored = { version: version(), text: JSON.stringify(value) };
  change.puts.push({ address, stored, isAtRest: of.isAtRest?.(value) ?? false });
  return { address, version: stored.version, value, keys, characters: stored.text.length };
}

/** Adds the entries that a written document gains and loses. */
function addEntries(entries: Change['entries'], write: WrittenDocument, oldKeys: DocumentKeys): void {
  const { collection, id } = write.address;
  const keys = keysOf(write.of, write);
  for (const index in write.of.indexes) {
    const [was, is] = [oldKeys[index], keys[index]];
    if (was === is) continue;
    if (was !== undefined) entries.removed.push({ collection, index, key: was, id });
    if (is !== undefined) entries.added.push({ collection, index, key: is, id });
  }
}
