import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance } from '../accounts/instances.ts';
import { type KeyTrouble, troubleIn } from '../accounts/key-trouble.ts';
import type { BalanceRead } from '../accounts/read-balance.ts';
import type { Clock } from '../clock.ts';
import type { PriceBook } from '../sends/prices.ts';
import { createShortMemory } from '../short-cache.ts';

/** A balance read counts only with nothing in flight. Wait at most this long for such a read, in ms. */
const ASK_FOR_MS = 5000;
const ASK_EVERY_MS = 500;
/** The service's answer counts for this long, in ms. */
const SURE_MS = 10_000;
/** How long we remember that a job is short, in ms: it asks again after that, or somebody has stopped it. */
const SHORT_MS = 60_000;

/** A job that is short of credits: when we asked the service about it (steady ms), and whether it answered. */
interface ShortJob {
  accountId: string;
  askedAt?: number;
  answered?: boolean;
}

export type Funds = ReturnType<typeof createFunds>;

/** Keeps jobs from requests that the balance can't pay: the service may send a part of one that it refuses. */
export function createFunds(deps: {
  ledger: Ledger;
  credit: Pick<Credit, 'readFresh'>;
  prices: Pick<PriceBook, 'mostCredits'>;
  clock: Clock;
}) {
  const { ledger, credit, prices, clock } = deps;
  const shortJobs = createShortMemory<ShortJob>(SHORT_MS, clock.steady);

  /** Reads the balance until a read counts or the time is up. Returns the last read. */
  async function ask(instance: Instance): Promise<BalanceRead> {
    const until = clock.steady() + ASK_FOR_MS;
    for (;;) {
      const read = await credit.readFresh(instance, 'background');
      // Only a quiet figure may raise the known one. Don't spend more permits on a service that does not answer.
      if (read.kind !== 'ok' || read.quiet || clock.steady() + ASK_EVERY_MS >= until) return read;
      await clock.sleep(ASK_EVERY_MS);
    }
  }

  return {
    /**
     * The credits that a chunk needs, which was just taken, and the credits that there are. Undefined if they suffice, as
     * far as we know. `sure`: we have asked the service since. `asOf`: it did not answer, so `available` is from that time
     * (ms since 1970).
     */
    async shortfall({ accountId }: Instance, chunk: ChunkRecord) {
      const texts = chunk.messages.map(({ text }) => text);
      const required = await prices.mostCredits(accountId, texts);
      const { credits, inFlight } = await ledger.funds(accountId, chunk);
      // Assume that messages in flight cost as much as these: nearly always they belong to the same job.
      const taken = Math.ceil((inFlight * required) / texts.length);
      const found = shortJobs.get(chunk.send);
      const { askedAt, answered } = found?.accountId === accountId ? found : {};
      if (credits !== undefined && credits - taken >= required) {
        shortJobs.delete(chunk.send);
        return undefined;
      }
      const sure = askedAt !== undefined && clock.steady() - askedAt <= SURE_MS;
      shortJobs.set(chunk.send, { accountId });
      const asOf = sure && !answered ? (await ledger.account(accountId))?.asOf : undefined;
      const available = Math.max(0, (credits ?? 0) - taken);
      return { required, available, sure, ...defined({ asOf }) };
    },
    /**
     * After a shortfall, asks the service before the next chunk is taken: somebody may have topped up. Returns the key's
     * trouble if that is what it finds: then the known credits may be another account's.
     */
    async askForShortJobs(instance: Instance): Promise<KeyTrouble | undefined> {
      const unasked = shortJobs
        .values()
        .filter(({ accountId, askedAt }) => accountId === instance.accountId && askedAt === undefined);
      if (unasked.length === 0) return undefined;
      const read = await ask(instance);
      for (const job of unasked) {
        job.askedAt = clock.steady();
        job.answered = read.kind === 'ok';
      }
      return troubleIn(read);
    },
  };
}
