import { StoreTroubleError } from '../store-error.ts';
import type { RedisClient } from './connect.ts';
import type { CommandOptions } from './reconnecting-client.ts';

/** How long replicas have to confirm a write, in ms: the connection carries nothing else meanwhile. */
const CONFIRM_MS = 300;

/**
 * Sends a command. Returns its answer, and how many replicas have everything that this connection wrote.
 */
export function sendConfirmed(
  client: RedisClient,
  command: (string | Buffer)[],
  replicas: number,
  options?: CommandOptions,
): Promise<[answer: unknown, confirmed: unknown]> {
  return Promise.all([
    client.sendCommand(command, options),
    replicas && client.sendCommand(['WAIT', String(replicas), String(CONFIRM_MS)]),
  ]);
}

/** @throws StoreTroubleError `late` if fewer than `replicas` confirmed a write */
export function expectConfirmed(confirmed: unknown, replicas: number): void {
  if (Number(confirmed) >= replicas) return;
  throw new StoreTroubleError('late', `Too few replicas of Redis confirmed the step (${confirmed}).`);
}
