import type { Logger } from 'pino';
import type { Ledger } from '../../ledger/ledger.ts';
import type { EvidenceCase } from '../../ledger/unknowns/evidence.ts';
import type { Credit } from '../accounts/credit.ts';
import type { Instance, Instances } from '../accounts/instances.ts';
import { keyTroubleOf } from '../accounts/key-trouble.ts';
import type { BalanceRead } from '../accounts/read-balance.ts';
import type { Clock } from '../clock.ts';
import type { Evidence } from '../sends/chunk-result.ts';
import type { PriceBook } from '../sends/prices.ts';
import { chargesBy, isTooEarly, judge } from './judge-evidence.ts';

/** Two reads this far apart must agree, in ms. The service may book a charge a moment after the request broke off. */
const READS_APART_MS = 5000;
/** After this long without two equal reads, in ms, we give up: there is no evidence. */
const GIVE_UP_MS = 120_000;
/** How long we wait after a failed look, in ms; longer each time, to leave people their permits. */
const FIRST_PAUSE_MS = 4000;
const LONGEST_PAUSE_MS = 60_000;

interface EvidenceDeps {
  ledger: Ledger;
  credit: Credit;
  instances: Instances;
  prices: Pick<PriceBook, 'costOf' | 'mayBeFree'>;
  clock: Clock;
  log: Logger;
}

/**
 * Looks for evidence on unknown sends once their deadlines are over. People see it; it never causes a send. One look ends
 * before the next one begins.
 */
export function createEvidenceSeeker(deps: EvidenceDeps) {
  const { ledger, log } = deps;
  /** By account: how many looks in a row failed, and when to look again. */
  const pauses = new Map<string, { looks: number; until: number }>();

  async function lookUnlessPaused(account: string, signal: AbortSignal | undefined): Promise<void> {
    const { looks, until } = pauses.get(account) ?? { looks: 0, until: 0 };
    const waitMs = until - ledger.now();
    // A longer wait is from before somebody set the clock back.
    if (waitMs > 0 && waitMs <= LONGEST_PAUSE_MS) return;
    const isDone = await lookAt(deps, { account, looks, signal }).catch((error: unknown) => {
      // A key that can't be opened, or a store that fails, must not keep other keys and accounts waiting.
      log.error({ err: error, account }, 'the balance could not be asked for evidence');
      return false;
    });
    if (isDone) return void pauses.delete(account);
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** looks);
    pauses.set(account, { looks: looks + 1, until: ledger.now() + ms });
  }

  return async (accounts: string[], signal?: AbortSignal): Promise<void> => {
    await Promise.all(accounts.map((account) => lookUnlessPaused(account, signal)));
  };
}

/** Resolves to false if there was no balance that counts. `looks`: how many looks in a row got none before this one. */
async function lookAt(
  deps: EvidenceDeps,
  { account, looks, signal }: { account: string; looks: number; signal: AbortSignal | undefined },
): Promise<boolean> {
  const { ledger, log } = deps;
  // Set the marker first: whatever happens to the account after it makes `recordEvidence` refuse.
  const marker = await ledger.markBalanceRead(account);
  const found = await ledger.evidenceCase(account);
  if (!found || !marker.idle || ledger.now() < found.readyAt) return true;
  const shown = await shownByBalance(deps, { found, looks, signal });
  if (!shown || isTooEarly(found, shown.evidence, ledger.now())) return false;
  const { evidence, credits = found.account.credits, charges = [] } = shown;
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

/**
 * What the balance shows of an account's unknown chunks. Shows nothing if another account may have paid for one of them.
 * Undefined if a later look may show more.
 */
async function shownByBalance(
  deps: EvidenceDeps,
  { found, looks, signal }: { found: EvidenceCase; looks: number; signal: AbortSignal | undefined },
): Promise<Comparison | undefined> {
  const { instances } = deps;
  const account = found.account.id;
  const senders = (await sendersOf(deps, found)).filter((one) => keyTroubleOf(one) === undefined);
  const isSender = ({ id }: Instance) => senders.some((sender) => sender.id === id);
  const ofAccount = await instances.ofAccount(account);
  // A sender's own key shows whether the account still is its own: such keys come first.
  const all = [...ofAccount.filter(isSender), ...ofAccount.filter((one) => !isSender(one))];
  // A key may give no figure, though the service does not refuse it: the next look uses the next key.
  const instance = all[looks % all.length];
  // If the account has no key left, nobody can read its balance any more.
  const compared = instance ? await compare(deps, { instance, found, signal }) : NOTHING;
  const otherSenders = senders.filter(({ id, accountId }) => id !== instance?.id && accountId === account);
  const isTelling = compared !== undefined && compared.evidence.verdict !== 'none';
  const said = isTelling ? await askInTurn(deps, otherSenders) : [];
  // The busy key can soon say more.
  if (said.includes('busy')) return undefined;
  const isMoved = (one: Instance) => one.accountId !== account || keyTroubleOf(one) === 'other_account';
  const isOtherPayer = said.includes('other_account') || (await sendersOf(deps, found)).some(isMoved);
  if (!isOtherPayer) return compared;
  // The latest figure may come from a receipt of another account.
  const { booked, credits } = found.account;
  return { ...NOTHING, credits: compared?.credits ?? booked ?? credits };
}

/** What the keys of these senders say. Only a key's own read shows whether its account is still the same. */
async function askInTurn({ credit, log }: EvidenceDeps, all: Instance[]): Promise<BalanceRead['kind'][]> {
  const said: BalanceRead['kind'][] = [];
  for (const instance of all) {
    try {
      said.push((await credit.readFresh(instance, 'background')).kind);
    } catch (error) {
      log.error({ err: error, instance: instance.id }, 'a balance could not be read');
    }
  }
  return said;
}

/** The instances that sent the unknown chunks, as of now. */
async function sendersOf({ ledger, instances }: EvidenceDeps, { unknowns }: EvidenceCase) {
  const found: Instance[] = [];
  for (const id of new Set(unknowns.map(({ send }) => send))) {
    const send = await ledger.find(id);
    const instance = send && (await instances.get(send.team, send.instance));
    if (instance) found.push(instance);
  }
  return found;
}

/** Evidence, the balance that it is from, and the charges that it shows for each unknown chunk, all in credits. */
interface Comparison {
  evidence: Evidence;
  credits?: number;
  charges?: number[];
}

const NOTHING: Comparison = { evidence: { verdict: 'none' } };

/** Compares the baseline with two equal reads. Undefined if there are none, but may be later. */
async function compare(
  { ledger, credit, prices, clock }: EvidenceDeps,
  { instance, found, signal }: { instance: Instance; found: EvidenceCase; signal: AbortSignal | undefined },
): Promise<Comparison | undefined> {
  const first = await quietBalance(credit, instance);
  if (first === undefined) return undefined;
  await clock.sleep(READS_APART_MS, signal);
  const second = signal?.aborted ? undefined : await quietBalance(credit, instance);
  if (second === undefined) return undefined;
  if (second !== first) {
    // Somebody else spends from the account all the time, so its balance can't tell anything about these texts.
    return ledger.now() - found.readyAt > GIVE_UP_MS ? { ...NOTHING, credits: second } : undefined;
  }
  const { account, unknowns } = found;
  const cost = await prices.costOf(account.id, unknowns);
  const mayBeFree = await prices.mayBeFree(account.id, unknowns);
  const evidence = judge(found, first, { cost, mayBeFree });
  return { evidence, credits: first, charges: await chargesBy(prices, evidence, found) };
}

async function quietBalance(credit: Credit, instance: Instance): Promise<number | undefined> {
  const read = await credit.readFresh(instance, 'background');
  return read.kind === 'ok' && read.quiet ? read.credits : undefined;
}
