import { expectConfirmed, sendConfirmed } from '../../store/redis/confirmed.ts';
import type { RedisClient } from '../../store/redis/connect.ts';
import { otherEpochError } from '../../store/redis/errors.ts';
import { STEP_MS } from '../../store/redis/script-runner.ts';
import { withTimeout } from '../../store/redis/with-timeout.ts';
import type { Commit } from '../step.ts';
import { keyListKey, recordKey } from './keyv.ts';

/*
 * KEYS: the epoch's key; the keys of the records that were read; for each write the namespace's list of keys and the
 * record's key. ARGV: the epoch; the number of records that were read; their texts; for each write its key and text. Each
 * text has `=` in front. An empty word means no record.
 */
const COMMIT = `
local epoch = redis.call('GET', KEYS[1])
if epoch ~= ARGV[1] then return { epoch } end
local reads = tonumber(ARGV[2])
for i = 1, reads do
  local text = redis.call('GET', KEYS[1 + i])
  if (text and '=' .. text or '') ~= ARGV[2 + i] then return 'changed' end
end
for i = reads + 1, #ARGV - 2, 2 do
  local key, text, keys, record = ARGV[2 + i], ARGV[3 + i], KEYS[1 + i], KEYS[2 + i]
  if text == '' then
    redis.call('ZREM', keys, key)
    redis.call('DEL', record)
  else
    redis.call('ZADD', keys, 0, key)
    redis.call('SET', record, string.sub(text, 2))
  end
end
return 'written'`;

/**
 * Writes records in one script, if the records that were read are unchanged and the store has the same epoch. Resolves to
 * true once `replicas` have confirmed the write. Throws RedisStepError `emptied` or `upgraded` if the epoch is another one.
 */
export function createRedisCommit(
  client: RedisClient,
  options: { prefix: string; epochKey: string; epoch: string; replicas: number },
): Commit {
  const { prefix, epochKey, epoch, replicas } = options;
  const marked = (text: string | undefined) => (text === undefined ? '' : `=${text}`);

  return async (read, written) => {
    const keys = [
      epochKey,
      ...read.map(({ namespace, key }) => recordKey(prefix, namespace, key)),
      ...written.flatMap(({ namespace, key }) => [
        keyListKey(prefix, namespace),
        recordKey(prefix, namespace, key),
      ]),
    ];
    const values = [
      epoch,
      String(read.length),
      ...read.map(({ text }) => marked(text)),
      ...written.flatMap(({ key, text }) => [key, marked(text)]),
    ];
    const script = ['EVAL', COMMIT, String(keys.length), ...keys, ...values];
    const sent = sendConfirmed(client, script, replicas);
    const [outcome, confirmed] = await withTimeout(STEP_MS, 'records', sent);
    if (Array.isArray(outcome)) throw otherEpochError(epoch, outcome[0]);
    if (outcome !== 'written') return false;
    expectConfirmed(confirmed, replicas);
    return true;
  };
}
