import type { Logger } from 'pino';
import type { Ledger } from '../store/ledger.ts';
import type { Instance, Namespace } from '../store/records.ts';
import type { Credit } from './credit.ts';

/** Of several bots one polls: for this part of the interval, so that its own next round is not taken for a repeat. */
const POLL_KEPT = 0.9;
/** Balances asked for at a time: one after the other, some thousand accounts would not be through within an interval. */
const AT_ONCE = 8;

/**
 * The round that reads balances: one read per account, with a key that works; and one with each key that doesn't, since
 * it may by now. Of several bots one asks.
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
    if (!(await ledger.firstTime(`poll:${what}`, everyMs * POLL_KEPT))) return;
    // One key that can't be opened must not keep the others from being asked.
    await credit.read(instance, 'background').catch((error: unknown) => {
      log.error({ err: error, instance: instance.id }, 'a balance could not be read');
    });
  }

  return async (signal) => {
    const left = toAsk(await instances.list()).values();
    const askOneByOne = async () => {
      for (const instance of left) {
        if (signal.aborted) return;
        await ask(instance);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askOneByOne));
  };
}

function toAsk(all: Instance[]): Set<Instance> {
  const byAccount = new Map<string, Instance>();
  for (const instance of all) {
    const chosen = byAccount.get(instance.accountId);
    if (!chosen || isRefused(chosen)) byAccount.set(instance.accountId, instance);
  }
  return new Set([...byAccount.values(), ...all.filter(isRefused)]);
}

function isRefused({ keyRefusedAt }: Instance): boolean {
  return keyRefusedAt !== undefined;
}
