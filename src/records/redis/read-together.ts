import { STEP_MS, withTimeout } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { EPOCH_KEY } from '../../store/redis/epoch.ts';
import { otherEpochError } from '../../store/redis/errors.ts';
import { AS_BYTES } from '../../store/redis/reconnecting-client.ts';
import { textOf } from './stored-bytes.ts';

/**
 * Makes one command of all reads of the same tick, whichever namespaces they are of. The epoch comes with them. A read
 * throws StoreTroubleError if a record is missing because somebody emptied the store.
 */
export function createReadTogether(client: RedisClient, epoch: string) {
  let next: { keys: string[]; answer: Promise<unknown> } | undefined;

  function begin() {
    const keys: string[] = [];
    const sent = new Promise<void>(process.nextTick).then(() => {
      next = undefined;
      return withTimeout(STEP_MS, 'records', client.sendCommand(['MGET', EPOCH_KEY, ...keys], AS_BYTES));
    });
    return { keys, answer: sent };
  }

  return async (keys: string[]): Promise<(string | undefined)[]> => {
    next ??= begin();
    const first = next.keys.push(...keys) - keys.length;
    const [found, ...all] = (await next.answer) as (Buffer | null)[];
    const mine = all.slice(first, first + keys.length);
    if (mine.includes(null) && found?.toString() !== epoch) throw otherEpochError(epoch, found?.toString());
    return mine.map((bytes) => (bytes ? textOf(bytes) : undefined));
  };
}
