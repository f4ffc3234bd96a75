import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { RedisClient } from '../../../src/store/redis/connect.ts';
import { createRedisEngine } from '../../../src/store/redis/engine.ts';
import { createSteps } from '../../../src/store/steps.ts';
import type { ChildStore, StrikeCall } from './ledger-child.ts';
import { connectBare } from './redis-wire.ts';
import { type Call, tellingOfCalls } from './telling-engine.ts';

/** No step of a child may fail because the machine is busy. */
const STEP_MS = 20_000;

/** The shared engine. A kill can strike before, after and within each call: Redis has the call, but nobody the answer. */
export async function openForChild(
  { url, prefix, epoch }: { url: string; prefix: string; epoch: string },
  leaseMs: number,
): Promise<ChildStore> {
  const client = await connectBare(url);
  const limits = { permits: 1000, windowMs: 60_000, leaseMs, timeoutMs: leaseMs / 2 };
  function ledgerTelling(strike: StrikeCall) {
    // An engine call writes its bytes before it returns its promise, so these bytes belong to the last call.
    let call: Call = 'read';
    const engine = createRedisEngine({
      client: tellingOfHandOver(client, () => strike(call)),
      prefix,
      epoch,
      stepMs: STEP_MS,
    });
    const noted = (which: Call) => {
      call = which;
      strike(which);
    };
    return createLedger(createSteps(tellingOfCalls(engine, noted), STEP_MS), limits);
  }
  return { ledgerTelling, takeOver: async (ledger) => void (await ledger.recover()) };
}

function tellingOfHandOver(client: RedisClient, tell: () => void): RedisClient {
  return {
    sendCommand(...command) {
      const answer = client.sendCommand(...command);
      tell();
      return answer;
    },
  };
}
