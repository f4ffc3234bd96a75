import type { RedisClient } from './connect.ts';
import { STEP_MS } from './script-runner.ts';
import { withTimeout } from './with-timeout.ts';

/** Sends one command to Redis. @throws RedisStepError if it refuses, or does not answer in time */
export type Ask = (...command: string[]) => Promise<unknown>;

/** Commands to this Redis, each with `ms` milliseconds for its answer; errors say that they were for `what`. */
export function createAsk(client: RedisClient, what: string, ms: number = STEP_MS): Ask {
  return (...command) => withTimeout(ms, what, client.sendCommand(command));
}
