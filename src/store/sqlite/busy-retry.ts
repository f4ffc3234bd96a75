import { setTimeout as sleep } from 'node:timers/promises';
import { BUSY, DAMAGED, resultCodeOf, StoreTroubleError } from '../store-error.ts';

/** SQLite's result codes (sqlite.org/rescode.html) for a file that can't be used, and why. */
const UNUSABLE = new Map<number, string>([
  [BUSY, 'another program holds its lock'],
  [8, 'it may only be read'],
  [10, 'the disk fails'],
  [13, 'the disk is full'],
  [14, 'it can’t be opened'],
  ...DAMAGED.map((code) => [code, 'it is damaged'] as const),
]);
/** How long a step waits for a lock if its caller does not say until when, in ms. */
const LOCK_WAIT_MS = 1000;
/** The time between two tries, in ms. */
const RETRY_EVERY_MS = 10;

/**
 * Runs a step. While another program holds the database's lock, tries again until `until`: such a step has changed
 * nothing. SQLite itself would wait in the event loop, and Slack would get no acknowledgement meanwhile.
 * @param until ms of `performance.now()`
 * @throws StoreTroubleError if the file can't be used
 */
export async function retryWhileBusy<T>(step: () => T, until = performance.now() + LOCK_WAIT_MS): Promise<T> {
  for (;;) {
    let trouble: StoreTroubleError;
    try {
      return step();
    } catch (error) {
      const code = resultCodeOf(error);
      const why = code === undefined ? undefined : UNUSABLE.get(code);
      if (why === undefined) throw error;
      trouble = new StoreTroubleError('refused', `The database can't be used: ${why}.`, { cause: error });
      if (code !== BUSY) throw trouble;
    }
    await sleep(RETRY_EVERY_MS);
    if (performance.now() >= until) throw trouble;
  }
}

/** Runs steps in the order of their calls, and retries while busy: the last of several writes must win. */
export function createBusyRetryQueue(): <T>(step: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const until = performance.now() + LOCK_WAIT_MS;
    const done = last.then(() => retryWhileBusy(step, until));
    last = done.catch(() => undefined);
    return done;
  };
}
