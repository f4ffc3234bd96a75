import { RedisStepError } from './errors.ts';

/**
 * The answer, or an error after `ms` milliseconds: a command to a frozen Redis would wait for as long as that is
 * frozen. What Redis itself refuses is told as `refused`.
 */
export function withTimeout<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new RedisStepError('late', `Redis did not answer in time (${what}).`));
    // After a stop the timer runs before an answer that lies ready: one more round reads it.
    const timer = setTimeout(() => setImmediate(giveUp), Math.max(0, ms));
    answer.then(resolve, (cause: unknown) => reject(refused(what, cause))).finally(() => clearTimeout(timer));
  });
}

function refused(what: string, cause: unknown): RedisStepError {
  if (cause instanceof RedisStepError) return cause;
  return new RedisStepError('refused', `Redis can't be used (${what}): ${reasonOf(cause)}.`, { cause });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
