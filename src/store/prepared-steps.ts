import type { Steps } from './steps.ts';
import { StoreTroubleError } from './store-error.ts';
import type { Step } from './view.ts';

/**
 * The same steps, but after each `forget` they wait until `prepare` has resolved. If `prepare` fails, the steps that wait
 * for it fail, too, and the next step calls it again. `prepare` itself may run steps of `steps`.
 */
export function createPreparedSteps(steps: Steps, prepare: () => Promise<void>): Steps {
  let connection = 0;
  let prepared = 0;
  let preparing: Promise<void> | undefined;
  const isPrepared = () => prepared === connection;

  async function prepareOnce(): Promise<void> {
    const of = connection;
    await prepare();
    prepared = of;
  }

  async function whenPrepared(): Promise<void> {
    while (!isPrepared()) {
      preparing ??= prepareOnce().finally(() => {
        preparing = undefined;
      });
      await preparing;
    }
  }

  /** A step may wait in its queue until the store is connected again. What led to the step may be wrong by then. */
  function guarded<T>(step: Step<T>): Step<T> {
    const of = connection;
    return (view) => {
      if (connection !== of)
        throw new StoreTroubleError('late', 'The store was connected again before the step.');
      return step(view);
    };
  }

  return {
    ...steps,
    async run(step, queue) {
      if (!isPrepared()) await whenPrepared();
      return steps.run(guarded(step), queue);
    },
    forget(): void {
      connection += 1;
      steps.forget();
    },
  };
}
