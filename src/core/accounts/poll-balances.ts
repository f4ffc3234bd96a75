import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Namespace } from '../../records/namespace.ts';
import type { Instance } from '../../records/schema.ts';
import type { Credit } from './credit.ts';

/** The bot that polls holds the turn for a little less than the interval, so that its own next round counts as new. */
const POLL_KEPT = 0.9;
/** Accounts we ask for at a time: one after the other, some thousand would take longer than an interval. */
const AT_ONCE = 8;

/**
 * The round that reads balances: once per account, and once with each refused key, since it may work again. If a key gives
 * no figure, though nobody refused it, the account's next one is asked. One of several bots does it.
 */
export function createPoll(deps: {
  ledger: Ledger;
  instances: Namespace<Instance>;
  credit: Pick<Credit, 'read'>;
  /** How often the round comes, in ms. */
  everyMs: number;
  log: Logger;
}): (signal: AbortSignal) => Promise<void> {
  const { ledger, instances, credit, everyMs, log } = deps;

  /** Asks one key after the other, until one gives a figure. Two reads at a time would share one answer. */
  async function ask(what: string, all: Instance[], signal: AbortSignal): Promise<void> {
    for (const [place, instance] of all.entries()) {
      try {
        if (place === 0 && !(await ledger.firstTime(`poll:${what}`, everyMs * POLL_KEPT))) return;
        if (signal.aborted || (await credit.read(instance, 'background')).kind === 'ok') return;
      } catch (error) {
        // One key that can't be opened must not keep the others from being asked.
        log.error({ err: error, instance: instance.id }, 'a balance could not be read');
      }
    }
  }

  return async (signal) => {
    const left = Map.groupBy(await instances.list(), ({ accountId }) => accountId);
    const turns = left.entries();
    const askOneByOne = async () => {
      for (const [account, all] of turns) {
        const working = all.filter((instance) => !isRefused(instance));
        await ask(account, working, signal);
        for (const one of all.filter(isRefused)) await ask(`${one.team}/${one.id}`, [one], signal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOneByOne));
  };
}

function isRefused({ keyRefusedAt }: Instance): boolean {
  return keyRefusedAt !== undefined;
}
