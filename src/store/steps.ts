import { randomBytes } from 'node:crypto';
import { addressOf, type Collection } from './collection.ts';
import { createDocumentCache } from './document-cache.ts';
import { damageOf, knownFrom, nameOf } from './known-document.ts';
import { createStepBatch, type StepBatch, type StepOutcome } from './step-batch.ts';
import type { Engine } from './store.ts';
import { StoreTroubleError } from './store-error.ts';
import type { ListedDocument, Step } from './view.ts';

/** How long a step may take, in ms: a busy process may do nothing for a second. */
const STEP_MS = 3000;
/** How many times as long a step may try while others win: on a busy key it loses to whole batches. */
const CONFLICTS_FACTOR = 2;
/** Most steps that one commit carries. */
const MOST_AT_ONCE = 32;

export type Steps = ReturnType<typeof createSteps>;

interface Waiting {
  step: Step<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** `stepMs`: how long a step may take, but for time lost to others. `onDamaged`: called for each damaged document. */
export function createSteps(engine: Engine, stepMs = STEP_MS, onDamaged: (error: Error) => void = () => {}) {
  const cache = createDocumentCache(onDamaged);
  const me = randomBytes(6).toString('base64url');
  let versions = 0;
  const queues = new Map<string, Waiting[]>();

  const version = () => {
    versions += 1;
    return `${me}${versions.toString(36)}`;
  };

  async function runTogether(waiting: Waiting[]): Promise<void> {
    try {
      const batch = createStepBatch({ now: engine.now(), cache, version });
      const steps = waiting.map(({ step }) => step);
      const outcomes = await commitSteps(engine, batch, steps, stepMs);
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
      await runTogether(queue.splice(0, MOST_AT_ONCE));
    }
    queues.delete(name);
  }

  return {
    /** The store's clock, in ms since 1970. */
    now: engine.now,
    /** All documents of a collection, a page at a time. May lack documents that somebody writes meanwhile. */
    async *documents<T>(of: Collection<T>): AsyncIterable<ListedDocument<T>[]> {
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
    /**
     * Runs a step. When this resolves, its writes are durable. If something that the step read has changed meanwhile,
     * its writes don't count, and the step runs again. Steps of one `queue` follow each other in this process. Waiting
     * steps of a queue share one commit.
     * @throws StoreTroubleError if the store can't be used, or others were quicker each time; and what the step throws
     */
    run<T>(step: Step<T>, queue?: string): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const waiting: Waiting = { step, resolve: resolve as (answer: unknown) => void, reject };
        if (queue === undefined) return void runTogether([waiting]);
        const line = queues.get(queue);
        if (line) return void line.push(waiting);
        const fresh = [waiting];
        queues.set(queue, fresh);
        void serve(queue, fresh);
      });
    },
    /** Forgets what this process has read: the store may have other data now. No commit compares what never changes. */
    forget: cache.clear,
  };
}

/** Runs the steps of a batch, again and again, until one commit carries all that they write. */
async function commitSteps(
  engine: Engine,
  batch: StepBatch,
  steps: Step<unknown>[],
  stepMs: number,
): Promise<StepOutcome<unknown>[]> {
  let until = performance.now() + stepMs;
  const giveUpAt = performance.now() + CONFLICTS_FACTOR * stepMs;
  for (;;) {
    const outcomes = steps.map((step) => batch.run(step));
    const asked = batch.readsNeeded();
    if (asked) {
      batch.addRead(asked, await engine.read(asked.documents, asked.ranges, until));
      continue;
    }
    const written = batch.pendingChange();
    if (!written) return outcomes as StepOutcome<unknown>[];
    const { change } = written;
    const committed = await engine.commit(change, until);
    if (committed.outcome === 'ok') {
      batch.remember(written);
      return outcomes as StepOutcome<unknown>[];
    }
    if (performance.now() >= giveUpAt) {
      const why = 'Other steps kept changing the same documents, until it was too late.';
      throw new StoreTroubleError('late', why);
    }
    if (committed.outcome === 'conflict') until = performance.now() + stepMs;
    else batch.setTime(committed.reading.now);
    const documents = change.expected.map(({ address }) => address);
    batch.addRead({ documents, ranges: [] }, committed.reading);
  }
}
