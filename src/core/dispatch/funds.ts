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
const SHORT_MS = 60_000;

/** A job that is short of credits. */
interface ShortJob {
  accountId: string;
  /** The first read that we asked for, in steady ms. */
  firstAskedAt?: number;
  asks: number;
  /** When we last asked, in steady ms, once there is nothing more to wait for. */
  askedAt?: number;
  /** Whether the service gave a figure that counts. */
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

  return {
    /**
     * The credits that a chunk needs, which was just taken, and the credits that there are. Undefined if they suffice, as
     * far as we know. `sure`: we have asked the service since. `asOf`: it gave no figure that counts, so `available` is from
     * that time (ms since 1970).
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
      shortJobs.set(chunk.send, { accountId, asks: 0 });
      const asOf = sure && !answered ? (await ledger.account(accountId))?.asOf : undefined;
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
        .filter(({ accountId, askedAt }) => accountId === instance.accountId && askedAt === undefined);
      if (unasked.length === 0) return { waitMs: 0 };
      const read = await credit.readFresh(instance, 'background');
      const now = clock.steady();
      let waitMs = 0;
      for (const job of unasked) {
        job.firstAskedAt ??= now;
        job.asks += 1;
        job.answered = read.kind === 'ok' && read.isSettled;
        const isOver = read.kind !== 'ok' || read.isSettled || now - job.firstAskedAt >= ASK_FOR_MS;
        if (isOver) job.askedAt = now;
        else waitMs = Math.max(waitMs, pauseAfter(job.asks));
      }
      return { ...defined({ trouble: troubleIn(read) }), waitMs };
    },
  };
}

/** How long to wait after this many reads, in ms. */
function pauseAfter(asks: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (asks - 1));
}
