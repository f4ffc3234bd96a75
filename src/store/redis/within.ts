import { RedisStepError } from './errors.ts';

/**
 * The answer, or an error after `ms` milliseconds: a command to a frozen Redis would wait for as long as that is
 * frozen. What Redis itself refuses is told as `refused`.
 */
export async function within<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const giveUp = () => reject(new RedisStepError('late', `Redis did not answer in time (${what}).`));
    // After a stop the timer runs before an answer that lies ready: one more round reads it.
    timer = setTimeout(() => setImmediate(giveUp), Math.max(0, ms));
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof RedisStepError) throw error;
    throw new RedisStepError('refused', `Redis can't be used (${what}): ${reasonOf(error)}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
