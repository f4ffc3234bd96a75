import type { Logger } from 'pino';
import type { BalanceMarker } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { EvidenceCase } from '../../ledger/unknowns/evidence.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance, Instances } from '../accounts/instances.ts';
import type { Clock } from '../clock.ts';
import type { Evidence } from '../sends/chunk-result.ts';
import type { PriceBook } from '../sends/prices.ts';

/** Two reads this far apart must agree, in ms: the service may book a charge a moment after the request broke off. */
const READS_APART_MS = 5000;
/** Two reads that have not agreed for this long, in ms, never will: there is no evidence. */
const GIVE_UP_MS = 120_000;
/** After a failed look the next one waits, longer each time: a service that is down must not use up people's permits. */
const FIRST_PAUSE_MS = 4000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * What the balance says of an account's unknown messages. A charge proves no delivery, and somebody else may use the key.
 * So a verdict says "probably" at most.
 *
 * @param credits the balance now, read while the account was quiet
 * @param cost what the unknown messages cost by this account's receipts; undefined when they don't tell
 * @param mayBeFree whether one of them may have cost nothing
 */
export function judge(
  { account, unknowns }: EvidenceCase,
  credits: number,
  { cost, mayBeFree }: { cost: number | undefined; mayBeFree: boolean },
): Evidence {
  if (!account.baseline) return { verdict: 'none' };
  const before = account.baseline.credits - account.baseline.receiptsSince;
  const messages = unknowns.reduce((sum, chunk) => sum + chunk.messages.length, 0);
  const figures = { before, after: credits, messages };
  const drop = before - credits;
  if (drop < 0) return { verdict: 'topped_up', ...figures };
  // Of texts that are free, the balance tells nothing.
  if (mayBeFree) return { verdict: 'none' };
  if (drop === 0) return { verdict: 'probably_not_sent', ...figures };
  if (cost === undefined) return { verdict: 'none' };
  return { verdict: drop === cost ? 'probably_sent' : 'undecided', ...figures };
}

/** Looks for evidence on unknown sends once their deadlines are over. People see it; it never causes a send. */
export function createEvidenceSeeker(deps: {
  ledger: Ledger;
  credit: Credit;
  instances: Instances;
  prices: Pick<PriceBook, 'costOf' | 'mayBeFree'>;
  clock: Clock;
  log: Logger;
}) {
  const { ledger, credit, instances, prices, clock, log } = deps;
  const looking = new Set<string>();
  const pauses = new Map<string, { ms: number; until: number; looks: number }>();

  async function quietBalance(instance: Instance): Promise<number | undefined> {
    const read = await credit.read(instance, 'background');
    return read.kind === 'ok' && read.quiet ? read.credits : undefined;
  }

  /** Resolves to false if it could not get a balance that counts. */
  async function lookAt(account: string, signal: AbortSignal | undefined): Promise<boolean> {
    // Set the marker first: whatever happens to the account after it makes `recordEvidence` refuse.
    const marker = await ledger.markBalanceRead(account);
    const found = await ledger.evidenceCase(account);
    if (!found || !marker.idle || ledger.now() < found.readyAt) return true;
    const all = await instances.ofAccount(account);
    // A key may give no figure, though nobody refused it: the next look asks with the next one.
    const instance = all[(pauses.get(account)?.looks ?? 0) % all.length];
    // With no key of the account left, nobody can ask for its balance any more.
    if (!instance) return write(marker, found, { verdict: 'none' });
    const first = await quietBalance(instance);
    if (first === undefined) return false;
    await clock.sleep(READS_APART_MS, signal);
    const second = signal?.aborted ? undefined : await quietBalance(instance);
    if (second === undefined) return false;
    if (second === first) {
      const cost = await prices.costOf(account, found.unknowns);
      const mayBeFree = await prices.mayBeFree(account, found.unknowns);
      const evidence = judge(found, first, { cost, mayBeFree });
      const charges = await chargesBy(evidence, account, found.unknowns);
      return write(marker, found, evidence, { credits: first, charges });
    }
    // Somebody else spends from the account all the time, so its balance can't tell anything about these texts.
    return ledger.now() - found.readyAt > GIVE_UP_MS
      ? write(marker, found, { verdict: 'none' }, { credits: second })
      : false;
  }

  /** The charges that this evidence shows; none if it shows no figure. */
  async function chargesBy(
    { verdict }: Evidence,
    account: string,
    unknowns: ChunkRecord[],
  ): Promise<number[]> {
    if (verdict === 'probably_not_sent') return unknowns.map(() => 0);
    return verdict === 'probably_sent' ? chargesOf(account, unknowns) : [];
  }

  /** What each of the unknown messages was charged, in whole credits: together their cost. */
  async function chargesOf(account: string, unknowns: ChunkRecord[]): Promise<number[]> {
    const costs = await Promise.all(unknowns.map((chunk) => prices.costOf(account, [chunk])));
    // The running total is rounded, so that the charges add up to the cost.
    let [cost, charged] = [0, 0];
    return costs.map((one = 0) => {
      cost += one;
      const charge = Math.round(cost) - charged;
      charged += charge;
      return charge;
    });
  }

  async function write(
    marker: BalanceMarker,
    found: EvidenceCase,
    evidence: Evidence,
    { credits = found.account.credits, charges = [] }: { credits?: number; charges?: number[] } = {},
  ): Promise<boolean> {
    const written = await ledger.recordEvidence(
      marker,
      credits,
      found.unknowns.map(({ send, index }, i) => ({
        ref: { send, index },
        evidence,
        ...(charges[i] !== undefined && { charge: charges[i] }),
      })),
    );
    const sends = written ? new Set(found.unknowns.map((chunk) => chunk.send)) : [];
    for (const send of sends) log.info({ send, verdict: evidence.verdict }, 'evidence recorded');
    return written;
  }

  async function takeUp(account: string, signal: AbortSignal | undefined): Promise<void> {
    const pause = pauses.get(account);
    if (looking.has(account) || (pause && ledger.now() < pause.until)) return;
    looking.add(account);
    const isDone = await lookAt(account, signal)
      .catch((error: unknown) => {
        // A key that can't be opened, or a store that fails, must not keep other keys and accounts waiting.
        log.error({ err: error, account }, 'the balance could not be asked for evidence');
        return false;
      })
      .finally(() => looking.delete(account));
    if (isDone) return void pauses.delete(account);
    const ms = pause ? Math.min(LONGEST_PAUSE_MS, 2 * pause.ms) : FIRST_PAUSE_MS;
    pauses.set(account, { ms, until: ledger.now() + ms, looks: (pause?.looks ?? 0) + 1 });
  }

  return async (accounts: string[], signal?: AbortSignal): Promise<void> => {
    await Promise.all(accounts.map((account) => takeUp(account, signal)));
  };
}
