import { asIfBusy } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { hasEnded } from '../../ledger/model/send-states.ts';
import { isKeyError } from '../../sms/read-outcome.ts';
import type { Instance } from '../accounts/instances.ts';
import type { KeyHealth } from '../accounts/key-health.ts';
import type { Warnings } from '../accounts/low-credit-warnings.ts';
import type { JobNews } from '../jobs/job-news.ts';
import type { PriceBook } from '../sends/prices.ts';
import type { Settled } from './attempts.ts';

/**
 * Acts on an answer that is in the ledger: learns prices, notes the key's health, warns of low credits, updates cards.
 * If the process dies first, polls and the outbox do the rest, and a later receipt teaches the price. A late answer may
 * be out of date about the key, and about a lack of credits.
 */
export function createAfterSettled(deps: {
  ledger: Ledger;
  prices: PriceBook;
  keyHealth: KeyHealth;
  warnings: Warnings;
  jobNews: JobNews;
  /** Called when a job has nothing more to send, and again for each answer after that. */
  onJobEnded(instance: Instance): Promise<void>;
}): (instance: Instance, settled: Settled) => Promise<void> {
  const { ledger, prices, keyHealth, warnings, jobNews } = deps;

  async function afterRefusal(instance: Instance, available: number | undefined): Promise<void> {
    const { accountId } = instance;
    if (available !== undefined) {
      // A refusal's figure is like a receipt's: it may lower the known credits, never raise them.
      const marker = await ledger.markBalanceRead(accountId);
      await ledger.recordBalance(asIfBusy(marker), available);
    }
    await warnings.check(accountId, { refused: true });
  }

  return async (instance, { send, chunk, outcome, settlement, isLate, isReached }) => {
    if (send.kind === 'job') await jobNews.note(send, chunk, isLate ? undefined : isReached);
    const { accountId } = instance;
    if (settlement.to === 'sent' || settlement.to === 'resolved_per_message') {
      const { creditsUsed } = settlement.receipt;
      // A status other than "sent" may mean that the text was not sent: then 0 credits say nothing of prices.
      const isPrice = settlement.to === 'sent' && (settlement.otherStatus === undefined || creditsUsed > 0);
      if (isPrice) {
        const texts = chunk.messages.map((message) => message.text);
        await prices.learn(accountId, texts, creditsUsed);
      }
      if (!isLate) await keyHealth.noteSent(instance);
      await warnings.check(accountId, { credits: settlement.receipt.creditsRemaining });
    } else if (!isLate && outcome.outcome === 'refused') {
      // If the request held a list, a 401 with a code of its own proves nothing about the key.
      const isKey = outcome.reason === 'key' && (isKeyError(outcome) || settlement.to === 'rejected');
      if (isKey) await keyHealth.note(instance, 'key_refused');
      if (outcome.reason === 'credits') await afterRefusal(instance, outcome.availableCredits);
    }
    if (send.kind === 'job' && hasEnded(send)) await deps.onJobEnded(instance);
  };
}
