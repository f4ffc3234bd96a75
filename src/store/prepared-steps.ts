import type { Steps } from './steps.ts';

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

  return {
    ...steps,
    async run(step, queue) {
      if (!isPrepared()) await whenPrepared();
      return steps.run(step, queue);
    },
    forget(): void {
      connection += 1;
      steps.forget();
    },
  };
}
