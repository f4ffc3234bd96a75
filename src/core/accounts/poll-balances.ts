import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Namespace } from '../../records/namespace.ts';
import type { Instance } from '../../records/schema.ts';
import type { Credit } from './credit.ts';

/**
 * One of several bots polls, and holds the turn for this part of the interval. It holds slightly less than the
 * interval, so that its own next round counts as new.
 */
const POLL_KEPT = 0.9;
/** Accounts we ask for at a time: one after the other, some thousand would take longer than an interval. */
const AT_ONCE = 8;

/**
 * The round that reads balances: once per account with a key that works, and once with each refused key, since it may work
 * again. One of several bots does it.
 */
export function createPoll(deps: {
  ledger: Ledger;
  instances: Namespace<Instance>;
  credit: Credit;
  /** How often the round comes, in ms. */
  everyMs: number;
  log: Logger;
}): (signal: AbortSignal) => Promise<void> {
  const { ledger, instances, credit, everyMs, log } = deps;

  async function ask(instance: Instance): Promise<void> {
    const what = isRefused(instance) ? `${instance.team}/${instance.id}` : instance.accountId;
    try {
      if (await ledger.firstTime(`poll:${what}`, everyMs * POLL_KEPT))
        await credit.read(instance, 'background');
    } catch (error) {
      // One key that can't be opened must not keep the others from being asked.
      log.error({ err: error, instance: instance.id }, 'a balance could not be read');
    }
  }

  return async (signal) => {
    const left = Map.groupBy(await instances.list(), ({ accountId }) => accountId).values();
    const askOneByOne = async () => {
      // The keys of one account take turns: two reads at a time would share one answer.
      for (const ofAccount of left) {
        for (const instance of toAsk(ofAccount)) {
          if (signal.aborted) return;
          await ask(instance);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOneByOne));
  };
}

/** The instances of an account to ask with: one whose key works, if there is one, and all whose keys are refused. */
function toAsk(ofAccount: Instance[]): Instance[] {
  const working = ofAccount.find((instance) => !isRefused(instance));
  return ofAccount.filter((instance) => instance === working || isRefused(instance));
}

function isRefused({ keyRefusedAt }: Instance): boolean {
  return keyRefusedAt !== undefined;
}
