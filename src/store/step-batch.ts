import { type BatchReads, createBatchReads } from './batch-reads.ts';
import type { DocumentCache } from './document-cache.ts';
import { entriesOf, type KnownDocument, keysOf, knownFrom } from './known-document.ts';
import type { Change, Engine } from './store.ts';
import { StoreTroubleError } from './store-error.ts';
import { type Attempt, createView, NOT_READ, noWrites, type Step } from './view.ts';

/** While other commits win, a step may try for this many times `stepMs`: it can lose to several batches. */
const CONFLICTS_FACTOR = 2;

/** What a step returned, or the error that it threw. */
type StepOutcome = { answer: unknown } | { error: unknown };

/** `version` makes a version that was never used. */
interface BatchOptions {
  engine: Engine;
  cache: DocumentCache;
  version(): string;
  stepMs: number;
}

/**
 * Runs steps one after the other: each sees what earlier steps wrote, and one commit carries them all. Runs all of them
 * again until what they read is known, and one commit counts.
 * @throws StoreTroubleError if the store can't be used, or other commits won until the time was over
 */
export async function commitSteps(
  steps: Step<unknown>[],
  { engine, cache, version, stepMs }: BatchOptions,
): Promise<StepOutcome[]> {
  const reads = createBatchReads(cache);
  // The time stays the same after a read: a range that ends now would otherwise be another range each time.
  let now = engine.now();
  let until = performance.now() + stepMs;
  const giveUpAt = performance.now() + CONFLICTS_FACTOR * stepMs;
  for (;;) {
    const attempt: Attempt = { now, read: new Set(), ...noWrites(), isSynced: false };
    const outcomes = steps.map((step) => runStep(step, attempt, reads));
    const asked = reads.needed(attempt.read, attempt.written.size === 0);
    if (asked) {
      reads.add(asked, await engine.read(asked.documents, asked.ranges, until));
      continue;
    }
    if (attempt.written.size === 0) return outcomes as StepOutcome[];
    const { change, documents } = changeOf(attempt, reads, version);
    const committed = await engine.commit(change, until);
    if (committed.outcome === 'ok') {
      for (const [name, document] of documents) cache.put(name, document);
      cache.applyEntries(change.entries);
      return outcomes as StepOutcome[];
    }
    if (performance.now() >= giveUpAt) {
      const why = 'Other steps kept changing the same documents, until it was too late.';
      throw new StoreTroubleError('late', why);
    }
    if (committed.outcome === 'conflict') until = performance.now() + stepMs;
    else now = committed.reading.now;
    reads.add({ documents: change.expected.map(({ address }) => address), ranges: [] }, committed.reading);
  }
}

/** Runs a step. If the step throws, it writes nothing. Undefined if it needs a document that was not read yet. */
function runStep(step: Step<unknown>, attempt: Attempt, reads: BatchReads): StepOutcome | undefined {
  const own = noWrites();
  try {
    const answer = step(createView(attempt, reads, own));
    if (own.written.size === 0) return { answer };
    // If a key can't be written, only this step fails.
    for (const write of own.written.values()) keysOf(write.of, write);
    for (const [name, write] of own.written) attempt.written.set(name, write);
    attempt.isSynced ||= own.isSynced;
    attempt.before = Math.min(attempt.before, own.before);
    return { answer };
  } catch (error) {
    // Keep its reads, so that the commit compares them: the step may have thrown because of old data.
    return error === NOT_READ ? undefined : { error };
  }
}

/** The change to commit, and the documents known by name once it is committed. */
function changeOf(
  { now: at, read, written, before, isSynced }: Attempt,
  reads: BatchReads,
  version: () => string,
) {
  const expected = [...read.union(written)].flatMap((name) => {
    const known = reads.findUsed(name);
    return known ? [{ address: known.address, version: known.version }] : [];
  });
  const entries: Change['entries'] = { added: [], removed: [] };
  const change: Change = { at, before, isSynced, expected, puts: [], deletes: [], entries };
  const documents = new Map<string, KnownDocument>();
  for (const [name, write] of written) {
    const { of, address, value } = write;
    const keys = keysOf(of, write);
    const old = reads.findUsed(name);
    // Nobody knows the entries of a damaged document. Lists pass over those that don't fit what is there.
    const oldKeys = old && !old.isDamaged ? keysOf(of, old) : {};
    entries.removed.push(...entriesOf(address, oldKeys, keys));
    entries.added.push(...entriesOf(address, keys, oldKeys));
    if (value === undefined) {
      change.deletes.push(address);
      documents.set(name, { ...knownFrom(address, undefined), keys });
      continue;
    }
    const stored = { version: version(), text: JSON.stringify(value) };
    change.puts.push({ address, stored, isAtRest: of.isAtRest?.(value) ?? false });
    documents.set(name, { address, version: stored.version, value, keys, characters: stored.text.length });
  }
  return { change, documents };
}
