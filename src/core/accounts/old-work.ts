import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { mayGoFrom } from '../../ledger/model/send-states.ts';
import type { JudgeOverdue } from '../../ledger/sends/recover.ts';
import type { Books } from './books.ts';
import type { Credit } from './credit.ts';
import type { Instances } from './instances.ts';
import { compareOnce, longestCompareMs } from './old-copy.ts';

/**
 * Texts, drafts and requests from before the start. In an old copy of the data they may still wait, though the bot has
 * sent them since. So no text of them goes out, and none of them ends as "not sent", before the balance was compared with
 * the books. If nobody can compare them for too long, they end as perhaps sent.
 */
export function createOldWork(deps: {
  ledger: Pick<Ledger, 'now'>;
  instances: Pick<Instances, 'get'>;
  books: Pick<Books, 'uncomparedStart' | 'canCompare'>;
  credit: Pick<Credit, 'read'>;
  limits: Pick<LedgerLimits, 'leaseMs'>;
  log: Logger;
}) {
  const { ledger, instances, books, log } = deps;
  const longestWaitMs = longestCompareMs(deps.limits);

  /** The bot's start, if the send is from before, and nobody has compared its account since. */
  function startAfter(send: SendRecord): number | undefined {
    // An earlier version does not name the account. Nothing compares such a send.
    const start = send.account === undefined ? undefined : books.uncomparedStart(send.account);
    return start !== undefined && mayGoFrom(send) <= start ? start : undefined;
  }

  const judge: JudgeOverdue = (send, since) => {
    const start = startAfter(send);
    if (start === undefined) return undefined;
    return ledger.now() < Math.max(since, start) + longestWaitMs ? 'wait' : 'may_be_sent';
  };

  async function compare(account: string, { team, instance: id }: SendRecord): Promise<void> {
    try {
      await compareOnce(deps, await instances.get(team, id), account);
    } catch (error) {
      // If one key can't be opened, the others must still be tried.
      log.error({ err: error, instance: id }, 'the books of an account could not be compared');
    }
  }

  return {
    judge,
    /** Compares the books of the accounts that pay for those of these sends that are from before the start. */
    async compare(waiting: SendRecord[]): Promise<void> {
      const old = waiting.filter((send) => startAfter(send) !== undefined);
      const byAccount = new Map(old.map((send) => [send.account ?? '', send]));
      await Promise.all([...byAccount].map(([account, send]) => compare(account, send)));
    },
  };
}
