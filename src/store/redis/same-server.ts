import { randomUUID } from 'node:crypto';
import { createAsk } from './ask.ts';
import type { RedisClient } from './connect.ts';
import { LEDGER_PREFIX } from './prefix.ts';

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
return { string.format('%s %.0f', ARGV[1], since), string.format('%.0f', now - since) }`;

/** A server of Redis, as long as no other one takes over from it. */
export interface FoundServer {
  /** If another server took over meanwhile, this one has another name after that. */
  name: string;
  /** When a bot first found it, at a start or at a reconnect, by its clock; 0 if the store had no other server before. */
  since: number;
  /** How long ago that was, in ms. */
  forMs: number;
  /** Whether it was a replica before. One that starts again with its own data has all that was acknowledged. */
  wasReplica: boolean;
  /** How many replicas it has now; 0 if its host hides that. */
  replicas: number;
}

/**
 * The server that answers. A new one, after a failover or a restart, may have lost the last writes of the one before. If
 * the store had no other server before, a bot found this one long ago. If a host hides which server it is, each
 * reconnect may lead to a new one.
 */
export async function findServer(client: RedisClient, { isReconnect = false } = {}): Promise<FoundServer> {
  const ask = createAsk(client, 'its server');
  const hidden = isReconnect ? randomUUID() : 'unknown';
  const info = String(await ask('INFO'));
  const [, server = hidden] = /^run_id:(\w+)/m.exec(info) ?? [];
  const [name, forMs] = (await ask('EVAL', SINCE, '1', `${LEDGER_PREFIX}server`, server)) as [string, string];
  // The id of the data that it had from its primary; zeros if it had none. A host may hide that, too.
  const wasReplica = !/^master_replid2:0+\s*$/m.test(info);
  const [, replicas = '0'] = /^connected_slaves:(\d+)/m.exec(info) ?? [];
  const since = Number(name.slice(name.lastIndexOf(' ')));
  return { name: String(name), since, forMs: Number(forMs), wasReplica, replicas: Number(replicas) };
}

/**
 * Says whether the server is another one than at the last call. `first`: its name before the first call. `onFound` gets
 * the server at each call.
 */
export function createServerWatch(
  client: RedisClient,
  first: string,
  onFound: (server: FoundServer) => void = () => {},
) {
  let last = first;
  return async (): Promise<boolean> => {
    const before = last;
    const found = await findServer(client, { isReconnect: true });
    last = found.name;
    onFound(found);
    return last !== before;
  };
}
