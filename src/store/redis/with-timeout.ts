import { RedisStepError } from './errors.ts';

/**
 * The answer, or an error after `ms` milliseconds: a frozen Redis would never answer. A refusal by Redis itself becomes
 * `refused`.
 */
export function withTimeout<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new RedisStepError('late', `Redis did not answer in time (${what}).`));
    // If the process was blocked, the timer fires before Node reads a waiting answer: give it one more round.
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
