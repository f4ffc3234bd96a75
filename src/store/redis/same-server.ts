import { randomUUID } from 'node:crypto';
import { createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';

/** Keeps which server answered last, and since when. A store that does not know its server takes it for its first. */
const SINCE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('GET', KEYS[1])
local id, since = string.match(known or '', '^(%S+) (%d+)$')
if id ~= ARGV[1] then
  since = known and now or 0
  redis.call('SET', KEYS[1], string.format('%s %.0f', ARGV[1], since))
end
return string.format('%.0f', now - since)`;

/**
 * How long ago, in ms, a bot first found this server, at its start or at a reconnect. A new server, after a failover or a
 * restart, may have lost the last writes of the one before. If the store had no other server before, this is long ago. If
 * a host hides which server it is, each reconnect may lead to a new one.
 */
export async function sameServerForMs(
  client: RedisClient,
  prefix: string,
  { isReconnect = false } = {},
): Promise<number> {
  const ask = createAsk(client, 'its server');
  const hidden = isReconnect ? randomUUID() : 'unknown';
  const [, server = hidden] = /^run_id:(\w+)/m.exec(String(await ask('INFO', 'server'))) ?? [];
  return Number(await ask('EVAL', SINCE, '1', `${prefix}server`, server));
}
