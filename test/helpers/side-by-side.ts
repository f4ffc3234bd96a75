import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, onTestFinished, type TestContext } from 'vitest';

/**
 * Declares tests that run in order, while the file's other tests of this kind run: they mostly wait. Give them a world of
 * their own.
 */
export function sideBySide(title: string, body: () => void, skip = false): void {
  describe.skipIf(skip).concurrent(title, () => {
    describe('in order', { concurrent: false }, body);
  });
}

const running = new AsyncLocalStorage<TestContext>();

/** For `aroundEach` where tests run at once: tells `whenOver` which of them calls it. */
export function asOneOfMany(runTest: () => Promise<void>, context: TestContext): Promise<void> {
  return running.run(context, runTest);
}

/** Does this when the test is over. Vitest's own `onTestFinished` guesses which test it is, if several run at once. */
export function whenOver(work: () => unknown): void {
  const atEnd = running.getStore()?.onTestFinished ?? onTestFinished;
  atEnd(async () => void (await work()));
}
