import { unusable } from '../store-error.ts';
import { createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';
import { PREFIX } from './prefix.ts';

/**
 * What the bot uses: in a step, for an upgrade, or for an operator's command. EVAL and EVALSHA are not among them: a start
 * uses both, and Redis 7.0 crashes when it is asked for these. It takes all others.
 */
const NEEDED =
  'DEL EXISTS GET HGET HGETALL INCRBY INFO MGET MSET MSETNX PEXPIRE SADD SCAN SET SISMEMBER TIME UNLINK WAIT ZADD ZRANGE ZREM ZSCORE';

/** The commands that this user may not use on the key, or that this Redis does not have. Before version 7, Redis can't say. */
const MISSING = `
local missing = {}
for i = 2, redis.acl_check_cmd and #ARGV or 0 do
  local isKnown, isAllowed = pcall(redis.acl_check_cmd, ARGV[i], ARGV[1])
  if not (isKnown and isAllowed) then missing[#missing + 1] = ARGV[i] end
end
return missing`;

/**
 * Refuses a user of Redis that may not use all that the bot needs. Redis undoes no script that is refused at its second
 * command, so a commit would be done by half.
 * @throws StoreError that names the commands
 */
export async function refuseMissingRights(client: RedisClient): Promise<void> {
  const ask = createAsk(client, 'start');
  const missing = (await ask('EVAL', MISSING, '0', `${PREFIX}any`, ...NEEDED.split(' '))) as string[];
  if (missing.length === 0) return;
  throw unusable(
    `Redis does not let the bot use ${missing.join(', ')} on ${PREFIX}*: give its user the rights that docs/operating.md names.`,
  );
}
