import { setTimeout as sleep } from 'node:timers/promises';
import { StoreTroubleError } from '../store-error.ts';

/** SQLite's result codes (sqlite.org/rescode.html) for a file that can't be used, whoever is to blame. */
const BUSY = 5;
const UNUSABLE = new Map([
  [BUSY, 'another program holds its lock'],
  [8, 'it may only be read'],
  [10, 'the disk fails'],
  [13, 'the disk is full'],
  [14, 'it can’t be opened'],
]);
/** How long a step waits for a lock, and for how long it looks away in between, in ms. */
const LOCK_WAIT_MS = 1000;
const LOOK_AWAY_MS = 10;

/**
 * Carries a step out as soon as no other program holds the database's lock, and until then at the latest. SQLite itself
 * would wait in the event loop, and nobody would be acknowledged meanwhile; a step that it refuses for the lock has
 * changed nothing.
 * @param until ms of `performance.now()`
 * @throws StoreTroubleError where the file can't be used
 */
async function patiently<T>(
  step: () => T | Promise<T>,
  until = performance.now() + LOCK_WAIT_MS,
): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      const code = resultCodeOf(error);
      const why = code === undefined ? undefined : UNUSABLE.get(code);
      if (why === undefined) throw error;
      if (code !== BUSY || performance.now() >= until) {
        throw new StoreTroubleError('refused', `The database can't be used: ${why}.`, { cause: error });
      }
    }
    await sleep(LOOK_AWAY_MS);
  }
}

/** Carries steps out patiently and in the order in which they are asked for: the last of several writes must win. */
export function createTurns(): <T>(step: () => T) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const until = performance.now() + LOCK_WAIT_MS;
    const done = last.then(() => patiently(step, until));
    last = done.catch(() => undefined);
    return done;
  };
}

/** The same steps, each carried out patiently. They may overtake each other: each says itself what it may follow. */
export function patient<Steps extends { [name: string]: (...args: never[]) => Promise<unknown> }>(
  steps: Steps,
): Steps {
  const wrapped = Object.entries(steps).map(([name, step]) => [
    name,
    (...args: never[]) => patiently(() => step(...args)),
  ]);
  return Object.fromEntries(wrapped);
}

/** SQLite's primary result code, where an error has one. */
function resultCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : undefined;
}
