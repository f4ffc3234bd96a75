import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Namespace } from '../../records/namespace.ts';
import type { Instance } from '../../records/schema.ts';
import type { Credit } from './credit.ts';
import { keyTroubleOf } from './key-trouble.ts';

/** The share of the interval for which a poll counts as done. Less than all of it, so that the next round polls again. */
const POLL_KEPT = 0.9;
/** How many accounts are read at the same time: one by one, thousands would take longer than an interval. */
const AT_ONCE = 8;

/**
 * The round that reads balances: once for each account, and once with each key that has trouble, since it may work
 * again. If a key gives no figure, the round tries the account's next key. Each round begins with another key of the
 * account. Only a key's own read shows whether the key still belongs to that account. Only one of several bots polls.
 */
export function createPoll(deps: {
  ledger: Ledger;
  instances: Namespace<Instance>;
  credit: Pick<Credit, 'read'>;
  /** How often the round runs, in ms. */
  everyMs: number;
  log: Logger;
}): (signal: AbortSignal) => Promise<void> {
  const { ledger, instances, credit, everyMs, log } = deps;

  /** Reads with one key after the other, until one gives a figure. */
  async function ask(what: string, all: Instance[], signal: AbortSignal): Promise<void> {
    for (const [place, instance] of all.entries()) {
      try {
        if (place === 0 && !(await ledger.firstTime(`poll:${what}`, everyMs * POLL_KEPT))) return;
        if (signal.aborted || (await credit.read(instance, 'background')).kind === 'ok') return;
      } catch (error) {
        // If one key can't be opened, the others must still be tried.
        log.error({ err: error, instance: instance.id }, 'a balance could not be read');
      }
    }
  }

  return async (signal) => {
    const byAccount = Map.groupBy(await instances.list(), ({ accountId }) => accountId);
    // One iterator for all of them: each takes the next account that is left.
    const left = byAccount.entries();
    const askOneByOne = async () => {
      for (const [account, all] of left) {
        const working = all.filter((instance) => !hasTrouble(instance));
        const turn = Math.floor(ledger.now() / everyMs) % working.length;
        await ask(account, [...working.slice(turn), ...working.slice(0, turn)], signal);
        for (const one of all.filter(hasTrouble)) await ask(`${one.team}/${one.id}`, [one], signal);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOneByOne));
  };
}

function hasTrouble(instance: Instance): boolean {
  return keyTroubleOf(instance) !== undefined;
}
