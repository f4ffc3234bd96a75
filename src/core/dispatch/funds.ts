import type { ChunkRecord, Ledger } from '../../store/ledger.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Clock } from '../clock.ts';
import type { PriceBook } from '../sends/prices.ts';

/** Keeps jobs from asking for what the balance can't pay: a request that is refused for it may be sent in part. */
export interface Funds {
  /** What a chunk that was just taken needs and what there is; undefined where it can be paid, as far as is known. */
  shortfall(instance: Instance, chunk: ChunkRecord): Promise<Shortfall | undefined>;
  /** Where a chunk was found short, asks the service before the next one is taken: somebody may have topped up. */
  askWhereShort(instance: Instance): Promise<void>;
}

/** Credits. `sure`: the service was asked since the account was first found short. */
export interface Shortfall {
  needed: number;
  available: number;
  sure: boolean;
}

/** A figure counts only with nothing in flight. Wait for one no longer than this, in ms. */
const ASK_FOR_MS = 5000;
const ASK_EVERY_MS = 500;
/** The service's answer counts for this long, in ms. */
const SURE_MS = 10_000;

export function createFunds(deps: {
  ledger: Ledger;
  credit: Credit;
  prices: Pick<PriceBook, 'mostCredits'>;
  clock: Clock;
}): Funds {
  const { ledger, credit, prices, clock } = deps;
  /** Accounts that were found short, and when (steady ms) the service was asked since. */
  const short = new Map<string, { askedAt?: number }>();

  async function ask(instance: Instance): Promise<void> {
    const until = clock.steady() + ASK_FOR_MS;
    for (;;) {
      const read = await credit.readAnew(instance, 'background');
      // Only a quiet figure may raise the one that is known. A service that can't be asked costs no more permits.
      if (read.kind !== 'ok' || read.quiet) return;
      if (clock.steady() + ASK_EVERY_MS >= until) return;
      await clock.sleep(ASK_EVERY_MS);
    }
  }

  return {
    async shortfall({ accountId }, chunk) {
      const texts = chunk.messages.map(({ text }) => text);
      const needed = await prices.mostCredits(accountId, texts);
      const { credits, inFlight } = await ledger.funds(accountId, chunk);
      // Messages in flight are taken to cost as much as these: nearly always they are of the same job.
      const taken = Math.ceil((inFlight * needed) / texts.length);
      if (credits !== undefined && credits - taken >= needed) {
        short.delete(accountId);
        return undefined;
      }
      const { askedAt } = short.get(accountId) ?? {};
      const sure = askedAt !== undefined && clock.steady() - askedAt <= SURE_MS;
      short.set(accountId, {});
      return { needed, available: Math.max(0, (credits ?? 0) - taken), sure };
    },
    async askWhereShort(instance) {
      const found = short.get(instance.accountId);
      if (!found || found.askedAt !== undefined) return;
      await ask(instance);
      short.set(instance.accountId, { askedAt: clock.steady() });
    },
  };
}
