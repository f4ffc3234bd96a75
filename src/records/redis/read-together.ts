import { createAsk } from '../../store/redis/ask.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { EPOCH_KEY } from '../../store/redis/epoch.ts';
import { otherEpochError } from '../../store/redis/errors.ts';

/**
 * Makes one command of all reads of the same tick, whichever namespaces they are of. The epoch comes with them. A read
 * throws RedisStepError if a record is missing because somebody emptied the store.
 */
export function createReadTogether(client: RedisClient, epoch: string) {
  const ask = createAsk(client, 'records');
  let next: { keys: string[]; answer: Promise<unknown> } | undefined;

  function begin() {
    const keys: string[] = [];
    const sent = new Promise<void>(process.nextTick).then(() => {
      next = undefined;
      return ask('MGET', EPOCH_KEY, ...keys);
    });
    return { keys, answer: sent };
  }

  return async (keys: string[]): Promise<(string | undefined)[]> => {
    next ??= begin();
    const first = next.keys.push(...keys) - keys.length;
    const [found, ...all] = (await next.answer) as (string | null)[];
    const texts = all.slice(first, first + keys.length);
    if (texts.includes(null) && found !== epoch) throw otherEpochError(epoch, found);
    return texts.map((text) => text ?? undefined);
  };
}
