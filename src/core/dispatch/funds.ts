import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance } from '../accounts/instances.ts';
import { type KeyTrouble, troubleIn } from '../accounts/key-trouble.ts';
import type { Clock } from '../clock.ts';
import type { PriceBook } from '../sends/prices.ts';
import { createShortMemory } from '../short-cache.ts';

/** With a request in flight, nobody can tell what the balance will pay for. Wait at most this long for its end, in ms. */
const ASK_FOR_MS = 50_000;
/** The wait before the second read, in ms. It doubles each time. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
/** The service's answer counts for this long, in ms. */
const SURE_MS = 10_000;
/** How long we remember that a job is short, in ms: it asks again after that, or somebody has stopped it. */
const SHORT_MS = 90_000;

/** A job that is short of credits. Times are steady ms. */
interface ShortJob {
  accountId: string;
  firstAskedAt?: number;
  nextAskAt?: number;
  /** When we stopped asking. */
  doneAskingAt?: number;
  /** Whether the last figure counts: no request of the account ran meanwhile. */
  isSettled?: boolean;
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

  return {
    /**
     * The credits that a chunk needs, which was just taken, and the credits that there are. Undefined if they suffice, as
     * far as we know. `sure`: we have just finished asking the service. `asOf`: it gave no figure that counts, so
     * `available` is from that time (ms since 1970).
     */
    async shortfall({ accountId }: Instance, chunk: ChunkRecord) {
      const texts = chunk.messages.map(({ text }) => text);
      const required = await prices.mostCredits(accountId, texts);
      const { credits, inFlight } = await ledger.funds(accountId, chunk);
      // Assume that messages in flight cost as much as these: nearly always they belong to the same job.
      const taken = Math.ceil((inFlight * required) / texts.length);
      const found = shortJobs.get(chunk.send);
      const { doneAskingAt, isSettled } = found?.accountId === accountId ? found : {};
      if (credits !== undefined && credits - taken >= required) {
        shortJobs.delete(chunk.send);
        return undefined;
      }
      const sure = doneAskingAt !== undefined && clock.steady() - doneAskingAt <= SURE_MS;
      shortJobs.set(chunk.send, { accountId });
      const asOf = sure && !isSettled ? (await ledger.account(accountId))?.asOf : undefined;
      const available = Math.max(0, (credits ?? 0) - taken);
      return { required, available, sure, ...defined({ asOf }) };
    },
    /**
     * After a shortfall, asks the service before the next chunk is taken: somebody may have topped up. Returns the key's
     * trouble if that is what it finds: then the known credits may be another account's. `waitMs`: how long to wait before
     * the next read.
     */
    async askForShortJobs(instance: Instance): Promise<{ trouble?: KeyTrouble; waitMs: number }> {
      const unasked = shortJobs
        .values()
        .filter((job) => job.accountId === instance.accountId && job.doneAskingAt === undefined);
      if (unasked.length === 0) return { waitMs: 0 };
      const waitMs = Math.min(...unasked.map(({ nextAskAt = 0 }) => nextAskAt)) - clock.steady();
      if (waitMs > 0) return { waitMs };
      const read = await credit.readFresh(instance, 'background');
      const now = clock.steady();
      let pauseMs = 0;
      const isSettled = read.kind === 'ok' && read.isSettled;
      for (const job of unasked) {
        job.firstAskedAt ??= now;
        job.isSettled = isSettled;
        const askedForMs = now - job.firstAskedAt;
        if (read.kind !== 'ok' || isSettled || askedForMs >= ASK_FOR_MS) job.doneAskingAt = now;
        else {
          pauseMs = Math.max(pauseMs, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS + askedForMs));
          job.nextAskAt = now + pauseMs;
        }
      }
      return { ...defined({ trouble: troubleIn(read) }), waitMs: pauseMs };
    },
  };
}
