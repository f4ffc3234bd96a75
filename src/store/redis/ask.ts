import { StoreTroubleError } from '../store-error.ts';
import type { RedisClient } from './connect.ts';

/** How long a step may take if its caller names no end, in ms. Slack waits three seconds for an ack. */
export const STEP_MS = 1000;

/** Sends one command to Redis. @throws StoreTroubleError if it refuses, or does not answer in time */
export type Ask = (...command: string[]) => Promise<unknown>;

/** Commands to this Redis, each with `ms` milliseconds for its answer; errors say that they were for `what`. */
export function createAsk(client: RedisClient, what: string, ms: number = STEP_MS): Ask {
  return (...command) => withTimeout(ms, what, client.sendCommand(command));
}

/**
 * The answer, or an error after `ms` milliseconds: a frozen Redis would never answer. A refusal by Redis itself becomes
 * `refused`.
 */
export function withTimeout<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new StoreTroubleError('late', `Redis did not answer in time (${what}).`));
    // If the process was blocked, the timer fires before Node reads a waiting answer: give it one more round.
    const timer = setTimeout(() => setImmediate(giveUp), Math.max(0, ms));
    answer.then(resolve, (cause: unknown) => reject(refused(what, cause))).finally(() => clearTimeout(timer));
  });
}

/** The end of Redis's own words: a full stop, and which script and line of it was refused. */
const END_OF_REASON = /\.?( script: \w+, on @user_script:\d+\.)?$/;

function refused(what: string, cause: unknown): StoreTroubleError {
  if (cause instanceof StoreTroubleError) return cause;
  const said = cause instanceof Error ? cause.message || cause.name : String(cause);
  const reason = said.replace(END_OF_REASON, '.');
  return new StoreTroubleError('refused', `Redis can't be used (${what}): ${reason}`, { cause });
}
