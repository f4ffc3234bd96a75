import type { RedisClient } from '../../../src/store/redis/connect.ts';
import { createRedisLedger } from '../../../src/store/redis/ledger.ts';
import { createRunner } from '../../../src/store/redis/run.ts';
import type { ChildStore, Strike } from './ledger-child.ts';
import { connectBare } from './redis-wire.ts';

/** A step of a child must not fail for a busy machine. */
const STEP_MS = 20_000;

/** The scripts that write whatever they are asked: others may find nothing to do. */
const WRITES = new Set(['commit', 'markPosted']);

/**
 * The shared engine, which can be struck before every write, and right after it was handed over with no answer heard.
 * What recovers has its own client, to be told apart.
 */
export async function openForChild(
  { url, prefix, epoch }: { url: string; prefix: string; epoch: string },
  leaseMs: number,
  strike: Strike,
): Promise<ChildStore> {
  const client = await connectBare(url);
  const limits = { permits: 1000, windowMs: 60_000, leaseMs, timeoutMs: leaseMs / 2 };
  const telling = (tell: () => void) =>
    createRedisLedger(
      createRunner({ client: tellingOfWrites(client, tell), prefix, epoch, stepMs: STEP_MS }),
      limits,
    );
  const { recover } = telling(() => strike('within recovery'));
  return { ledger: telling(() => strike('within a step')), takeOver: recover, recover };
}

function tellingOfWrites(client: RedisClient, tell: () => void): RedisClient {
  return {
    sendCommand(args) {
      const isWrite = args.some((arg) => WRITES.has(arg));
      if (isWrite) tell();
      const answer = client.sendCommand(args);
      if (isWrite) tell();
      return answer;
    },
  };
}
