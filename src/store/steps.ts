import { randomBytes } from 'node:crypto';
import { addressOf, type Collection } from './collection.ts';
import { createDocumentCache } from './document-cache.ts';
import { damageOf, knownFrom, knownValue, nameOf } from './known-document.ts';
import { commitSteps } from './step-batch.ts';
import type { Engine } from './store.ts';
import { StoreTroubleError } from './store-error.ts';
import type { ListedDocument, Step } from './view.ts';

/** How long one try of a step may take, in ms. A busy process may stall for a second. */
const STEP_MS = 3000;
const MOST_STEPS_PER_COMMIT = 32;

export type Steps = ReturnType<typeof createSteps>;

interface Waiting {
  step: Step<unknown>;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/**
 * `stepMs`: how long one try of a step may take. A step whose commits lose against others gets twice this in all.
 * `onDamaged`: called for each damaged document.
 */
export function createSteps(engine: Engine, stepMs = STEP_MS, onDamaged: (error: Error) => void = () => {}) {
  /** Each connection to the store has its own. */
  let cache = createDocumentCache(onDamaged);
  const processId = randomBytes(6).toString('base64url');
  let versions = 0;
  const queues = new Map<string, Waiting[]>();

  const version = () => {
    versions += 1;
    return `${processId}${versions.toString(36)}`;
  };

  /** The step, which fails if the store was connected again since. What it read, or what led to it, may be wrong now. */
  function failingAfterReconnect<T>(step: Step<T>): Step<T> {
    const cacheAtStart = cache;
    return (view) => {
      if (cache === cacheAtStart) return step(view);
      throw new StoreTroubleError('late', 'The store was connected again during the step.');
    };
  }

  async function runTogether(waiting: Waiting[]): Promise<void> {
    try {
      const steps = waiting.map(({ step }) => step);
      const outcomes = await commitSteps(steps, { engine, cache, version, stepMs });
      for (const [place, outcome] of outcomes.entries()) {
        if ('error' in outcome) waiting[place]?.reject(outcome.error);
        else waiting[place]?.resolve(outcome.answer);
      }
    } catch (error) {
      // The commit may have happened or not, so our cached documents may be wrong: drop them.
      cache.clear();
      for (const { reject } of waiting) reject(error);
    }
  }

  async function serve(name: string, queue: Waiting[]): Promise<void> {
    // A caller that just got its answer often asks for its next step at once. Wait a tick: then they share a commit.
    for (;;) {
      await new Promise<void>(process.nextTick);
      if (queue.length === 0) break;
      await runTogether(queue.splice(0, MOST_STEPS_PER_COMMIT));
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
          const known = knownFrom(addressOf(of, id), stored);
          if (known.isDamaged) onDamaged(damageOf(nameOf(of.name, id)));
          const value = knownValue(of, known);
          return value === undefined ? [] : [{ id, value }];
        });
      }
    },
    /**
     * Runs a step. When this resolves, its writes are durable. If something that the step read has changed meanwhile,
     * its writes don't count, and the step runs again. Steps of one `queue` follow each other in this process. Waiting
     * steps of a queue share one commit.
     * @throws StoreTroubleError if the store can't be used, or other commits won until the time was over
     * @throws whatever the step throws
     */
    run<T>(step: Step<T>, queue?: string): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const waiting: Waiting = {
          step: failingAfterReconnect(step),
          resolve: resolve as (answer: unknown) => void,
          reject,
        };
        if (queue === undefined) return void runTogether([waiting]);
        const running = queues.get(queue);
        if (running) return void running.push(waiting);
        const started = [waiting];
        queues.set(queue, started);
        void serve(queue, started);
      });
    },
    /**
     * The store was connected again, and may have other data now. Drops the cache, since commits don't compare documents
     * that never change. Steps that have begun, or wait in their queue, fail: what they read may be the other data's.
     */
    forget(): void {
      cache = createDocumentCache(onDamaged);
    },
  };
}
