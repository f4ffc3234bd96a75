import { randomBytes } from 'node:crypto';
import type { Asked } from './batch-reads.ts';
import { addressOf, type Collection } from './collection.ts';
import { createDocumentCache } from './document-cache.ts';
import { damageOf, knownFrom, nameOf } from './known-document.ts';
import { createStepBatch, type StepOutcome } from './step-batch.ts';
import type { Engine } from './store.ts';
import { StoreTroubleError } from './store-error.ts';
import type { ListedDocument, Step } from './view.ts';

/** How long a step may take, in ms: a busy process may do nothing for a second. */
const STEP_MS = 3000;
/** How many times as long a step may try while others win: on a busy key it loses to whole batches. */
const CONFLICTS_FACTOR = 2;
/** Most steps that one commit carries. */
const MOST_AT_ONCE = 32;

export interface Steps {
  /** The store's clock, in ms since 1970. */
  now(): number;
  /**
   * Runs a step. When this resolves, its writes are durable. If something that the step read has changed meanwhile, its
   * writes don't count, and the step runs again. Steps of one `queue` follow each other in this process. Waiting steps
   * of a queue share one commit.
   * @throws StoreTroubleError if the store can't be used, or others were quicker each time; and what the step throws
   */
  run<T>(step: Step<T>, queue?: string): Promise<T>;
  /** All documents of a collection, a page at a time. May lack documents that somebody writes meanwhile. */
  documents<T>(of: Collection<T>): AsyncIterable<ListedDocument<T>[]>;
  /**
   * Forgets everything that this process has read: the store may have other data from now on. Commits would notice most
   * of it, but they compare no immutable document.
   */
  forget(): void;
}

interface Waiting {
  step: Step<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * `stepMs`: how long a step may take, not counting the time that it loses to others. `onDamaged` gets an error for each
 * damaged document that a step reads.
 */
export function createSteps(
  engine: Engine,
  stepMs: number = STEP_MS,
  onDamaged: (error: Error) => void = () => {},
): Steps {
  const cache = createDocumentCache();
  const me = randomBytes(6).toString('base64url');
  let versions = 0;
  const queues = new Map<string, Waiting[]>();

  const version = () => {
    versions += 1;
    return `${me}${versions.toString(36)}`;
  };

  async function carryOut(steps: Step<unknown>[]): Promise<StepOutcome<unknown>[]> {
    let until = performance.now() + stepMs;
    const giveUpAt = performance.now() + CONFLICTS_FACTOR * stepMs;
    const batch = createStepBatch({ now: engine.now(), cache, version, onDamaged });

    async function read(asked: Asked) {
      batch.addRead(asked, await engine.read(asked.documents, asked.ranges, until));
    }

    for (;;) {
      const outcomes = steps.map((step) => batch.run(step));
      const missing = batch.missingReads();
      if (missing) {
        // This also compares the cached documents, so that needs no round trip of its own.
        await read({ ...missing, documents: [...missing.documents, ...batch.uncheckedReads()] });
        continue;
      }
      const written = batch.pendingChange();
      if (!written) {
        const documents = batch.readsToCompare();
        if (documents.length === 0) return outcomes as StepOutcome<unknown>[];
        await read({ documents, ranges: [] });
        continue;
      }
      const { change, documents } = written;
      const committed = await engine.commit(change, until);
      if (committed.outcome === 'ok') {
        for (const [name, document] of documents) cache.put(name, document);
        cache.applyEntries(change.entries);
        return outcomes as StepOutcome<unknown>[];
      }
      if (performance.now() >= giveUpAt) {
        throw new StoreTroubleError(
          'late',
          'Other steps kept changing the same documents, until it was too late.',
        );
      }
      if (committed.outcome === 'conflict') until = performance.now() + stepMs;
      else batch.setTime(committed.reading.now);
      batch.addRead(
        { documents: change.expected.map(({ address }) => address), ranges: [] },
        committed.reading,
      );
    }
  }

  async function carryOutAll(waiting: Waiting[]): Promise<void> {
    try {
      const outcomes = await carryOut(waiting.map(({ step }) => step));
      for (const [place, outcome] of outcomes.entries()) {
        if ('error' in outcome) waiting[place]?.reject(outcome.error);
        else waiting[place]?.resolve(outcome.answer);
      }
    } catch (error) {
      // Nobody knows whether the store has the change, so forget it.
      cache.clear();
      for (const { reject } of waiting) reject(error);
    }
  }

  async function serve(name: string, queue: Waiting[]): Promise<void> {
    // Callers who just got an answer ask for their next step in this turn of the loop. It joins the same commit.
    for (;;) {
      await new Promise<void>(process.nextTick);
      if (queue.length === 0) break;
      await carryOutAll(queue.splice(0, MOST_AT_ONCE));
    }
    queues.delete(name);
  }

  return {
    now: engine.now,
    async *documents<T>(of: Collection<T>) {
      for await (const page of engine.documents(of.name)) {
        yield page.flatMap(({ id, ...stored }) => {
          const { isDamaged, value } = knownFrom(addressOf(of, id), stored);
          if (!isDamaged) return [{ id, value: value as T }];
          const damage = damageOf(nameOf(of.name, id));
          if (!of.skipsDamaged) throw damage;
          onDamaged(damage);
          return [];
        });
      }
    },
    run<T>(step: Step<T>, queue?: string): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const waiting: Waiting = { step, resolve: resolve as (answer: unknown) => void, reject };
        if (queue === undefined) return void carryOutAll([waiting]);
        const line = queues.get(queue);
        if (line) return void line.push(waiting);
        const fresh = [waiting];
        queues.set(queue, fresh);
        void serve(queue, fresh);
      });
    },
    forget: cache.clear,
  };
}
