import type { Logger } from 'pino';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { mayGoFrom } from '../../ledger/model/send-states.ts';
import type { JudgeOverdue } from '../../ledger/sends/recover.ts';
import type { Clock } from '../clock.ts';
import { createShortMemory } from '../short-cache.ts';
import type { Books } from './books.ts';
import type { Credit } from './credit.ts';
import type { Instances } from './instances.ts';
import { compareOnce, longestCompareMs } from './old-copy.ts';

/** If a key gave no balance: how long the bot does not ask it again here, in ms. People need its permits. */
const ASK_AGAIN_MS = 5000;

/**
 * Texts, drafts and requests from before the start or a reconnect. In an old copy of the data they may still wait, though
 * the bot has sent them since. So none of them ends as "not sent" before the balance was compared with the books. If
 * nobody can compare them for too long, they end as perhaps sent.
 */
export function createOldWork(deps: {
  instances: Pick<Instances, 'ofAccount'>;
  books: Pick<Books, 'mayBeOld' | 'canCompare'>;
  credit: Pick<Credit, 'read'>;
  limits: Pick<LedgerLimits, 'leaseMs'>;
  clock: Pick<Clock, 'steady'>;
  log: Logger;
}) {
  const { instances, books, limits, clock, log } = deps;
  const longestWaitMs = longestCompareMs(limits);
  /** By send: when the bot first left it waiting, steady ms. */
  const waitsSince = createShortMemory<number>(2 * longestWaitMs, clock.steady);
  const askedInVain = createShortMemory<true>(ASK_AGAIN_MS, clock.steady);

  // An earlier version does not name the account. Nothing compares such a send.
  const isOld = (send: SendRecord): send is OldSend =>
    send.account !== undefined && books.mayBeOld(send.account, mayGoFrom(send));

  const judge: JudgeOverdue = (send) => {
    if (!isOld(send)) return undefined;
    const now = clock.steady();
    const since = waitsSince.get(send.id);
    if (since === undefined) waitsSince.set(send.id, now);
    return now - (since ?? now) < longestWaitMs ? 'wait' : 'may_be_sent';
  };

  /** One key may rest, or be refused: then the account's next one may tell. */
  async function compare(account: string, send: OldSend): Promise<void> {
    for (const instance of await instances.ofAccount(account)) {
      if (!isOld(send) || askedInVain.get(instance.id)) continue;
      try {
        if (await compareOnce(deps, instance, account)) askedInVain.set(instance.id, true);
      } catch (error) {
        askedInVain.set(instance.id, true);
        log.error({ err: error, instance: instance.id }, 'a balance could not be read');
      }
    }
  }

  return {
    judge,
    /** Compares the books of the accounts that pay for those of these sends that are old. */
    async compare(waiting: SendRecord[]): Promise<void> {
      const byAccount = new Map(waiting.filter(isOld).map((send) => [send.account, send]));
      await Promise.all([...byAccount].map(([account, send]) => compare(account, send)));
    },
  };
}

type OldSend = SendRecord & { account: string };
