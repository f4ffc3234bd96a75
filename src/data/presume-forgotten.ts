import type { Ledger } from '../ledger/ledger.ts';
import type { RedisClient } from '../store/redis/connect.ts';
import { type FoundServer, findServer } from '../store/redis/same-server.ts';

/**
 * How far ahead the clock of the server before may have been, in ms: a bot that starts does not know it, and somebody may
 * have set it back. The ledger itself recognises times from further ahead.
 */
const CLOCKS_DIFFER_MS = 5000;

/**
 * Tells the ledger what the server of Redis may have forgotten: texts that bots took before a bot first found it. With
 * `allowVolatile` it may have forgotten decisions, too, even if it never was a replica. Call it with the server at a
 * start, and without after a reconnect, until it succeeds.
 */
export function createPresumption(
  ledger: Pick<Ledger, 'now' | 'presumeForgotten'>,
  client: RedisClient,
  allowVolatile: boolean,
) {
  // How far the earlier server's clock is ahead of the steady one. The texts have their times from that server.
  let aheadBefore = Number.NEGATIVE_INFINITY;
  // How far ahead it was right after the last reconnect.
  let aheadAtLast = Number.NEGATIVE_INFINITY;
  return async (foundAtStart?: FoundServer): Promise<void> => {
    // After a try that failed, the ledger may know only the new server's clock. Either may be behind.
    const ahead = ledger.now() - performance.now();
    aheadBefore = Math.max(aheadBefore, ahead, Math.min(aheadAtLast, ahead + CLOCKS_DIFFER_MS));
    const now = Math.ceil(aheadBefore + performance.now()) + (foundAtStart ? CLOCKS_DIFFER_MS : 0);
    const server = foundAtStart ?? (await findServer(client, { isReconnect: true }));
    const mayLackDecisions = server.wasReplica || allowVolatile;
    await ledger.presumeForgotten({
      // Somebody may have set the earlier clock back. Nothing was done on the new server before `since`.
      begunBefore: Math.max(now - server.forMs, server.since),
      ...(mayLackDecisions && { doubt: server.name }),
    });
    aheadBefore = Number.NEGATIVE_INFINITY;
    aheadAtLast = ledger.now() - performance.now();
  };
}
