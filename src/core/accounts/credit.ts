import type { Priority } from '../../ledger/model/ledger-limits.ts';
import { createShortMemory } from '../short-cache.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instance } from './instances.ts';
import { type KeyTrouble, keyTroubleOf, troubleIn } from './key-trouble.ts';
import {
  type BalanceDeps,
  type BalanceRead,
  type BalanceSaid,
  type Figure,
  type RecordedFigure,
  readBalance,
} from './read-balance.ts';

/** How old a shown figure may be, in ms. Nobody notices that, and repeated commands take no permit of the key. */
const JUST_NOW_MS = 250;

/** A read that is not recorded yet. */
interface Reading {
  instance: Instance;
  priority: Priority;
  said: Promise<BalanceSaid>;
  recorded: Promise<BalanceRead>;
  /** Resolves once key health and warnings have followed, too. */
  followed: Promise<BalanceRead>;
}

export type Credit = ReturnType<typeof createCredit>;

/** Reads balances, one read at a time per account. All who ask meanwhile share it. Throws what the store throws. */
export function createCredit(
  deps: BalanceDeps & {
    /** Called after each read: key health and warnings follow. */
    onRead(instance: Instance, read: BalanceRead): Promise<void>;
  },
) {
  const { ledger, clock } = deps;
  const readings = new Map<string, Reading>();
  /** By account: its last read, if it was quiet. By the wall clock: the steady clock stops while the machine sleeps. */
  const lastReads = createShortMemory<RecordedFigure>(JUST_NOW_MS, clock.wall);

  function begin(instance: Instance, priority: Priority): Reading {
    const { accountId } = instance;
    const said = Promise.withResolvers<BalanceSaid>();
    const how = { instance, priority };
    const recorded = readBalance(deps, how, said.resolve).finally(() => readings.delete(accountId));
    // A read without a figure has not resolved `said` yet.
    recorded.then(said.resolve, said.reject);
    const followed = followUp(instance, recorded);
    // If nobody waits for them, their failure must not end the process.
    for (const each of [said.promise, recorded, followed]) each.catch(() => undefined);
    const reading = { instance, priority, said: said.promise, recorded, followed };
    readings.set(accountId, reading);
    return reading;
  }

  async function followUp(instance: Instance, recorded: Promise<BalanceRead>): Promise<BalanceRead> {
    const read = await recorded;
    if (read.kind === 'ok' && read.quiet) lastReads.set(read.account.id, read, read.readAt);
    await deps.onRead(instance, read);
    return read;
  }

  /**
   * Asks the service, for two seconds at most. Resolves before the figure is recorded, for people who wait to see it.
   * `recorded` rejects if the store fails. For whoever began the read, it resolves once key health and warnings followed.
   */
  async function ask(instance: Instance, priority: Priority) {
    const running = readings.get(instance.accountId);
    const reading = running ?? begin(instance, priority);
    const hasTrouble = keyTroubleOf(instance) !== undefined;
    // Whoever asks about a key's trouble goes on only once its end is written down.
    const recorded = running && !hasTrouble ? running.recorded : reading.followed;
    const said = await reading.said;
    // Another key's trouble says nothing about this key. Nor does a background read that got no permit.
    const isOwnKey = reading.instance.keyFingerprint === instance.keyFingerprint;
    const isOwn = isOwnKey && (reading.priority === 'interactive' || priority === 'background');
    // Any key of the account gives its figure. But only the instance's own read shows that its key works again.
    const isSame = isOwnKey && reading.instance.team === instance.team;
    if (said.kind === 'ok' ? isSame || !hasTrouble : isOwn) return { said, recorded };
    await whenRecorded(running);
    return ask(instance, priority);
  }

  /** Resolves when a read is recorded. If that fails, whoever began the read reports it. */
  async function whenRecorded(running: Reading | undefined): Promise<void> {
    await running?.recorded.catch(() => undefined);
  }

  /** As `ask`, but resolves once the figure is recorded. */
  async function read(instance: Instance, priority: Priority): Promise<BalanceRead> {
    const { recorded } = await ask(instance, priority);
    return recorded;
  }

  async function readOwn(instance: Instance, priority: Priority): Promise<BalanceRead> {
    const running = readings.get(instance.accountId);
    if (!running) return begin(instance, priority).followed;
    await whenRecorded(running);
    return readOwn(instance, priority);
  }

  async function askedCredits(instance: Instance): Promise<number | undefined> {
    const answer = await read(instance, 'interactive');
    return answer.kind === 'ok' ? answer.credits : undefined;
  }

  return {
    ask,
    read,
    /** As `read`, by a request that begins after this call. */
    async readFresh(instance: Instance, priority: Priority): Promise<BalanceRead> {
      await whenRecorded(readings.get(instance.accountId));
      return read(instance, priority);
    },
    /** As `readFresh`, shared with nobody who asked before: only the instance's own read shows whose account its key has. */
    readOwn,
    /** The figure of a quiet read at most `JUST_NOW_MS` ago, if nothing was sent since. Only to be shown. */
    async justRead({ accountId }: InstanceView): Promise<Figure | undefined> {
      const last = lastReads.get(accountId);
      // Somebody may have set the clock back.
      if (!last || clock.wall() < last.readAt) return undefined;
      const known = await ledger.account(accountId);
      const { asOf, activity } = last.account;
      return known?.asOf === asOf && known.activity === activity ? last : undefined;
    },
    /** The known figure, however old. */
    known: (instance: InstanceView) => ledger.account(instance.accountId),
    /** The known figure if it is at most `maxAgeMs` old, else a new one; undefined if the service gives none. */
    async recent(instance: Instance, maxAgeMs: number): Promise<number | undefined> {
      const known = await ledger.account(instance.accountId);
      return known && ledger.now() - known.asOf <= maxAgeMs ? known.credits : askedCredits(instance);
    },
    /** `figure` if it covers `needed`, else the service’s own, or undefined: an old figure must not refuse a text. */
    async askIfShort(instance: Instance, figure: number | undefined, needed: number) {
      return figure === undefined || figure >= needed ? figure : askedCredits(instance);
    },
    /** The key's trouble. Asks again about a key that had any: nobody should wait for the next poll. */
    async keyTrouble(instance: Instance): Promise<KeyTrouble | undefined> {
      const before = keyTroubleOf(instance);
      if (!before) return undefined;
      const now = await read(instance, 'interactive');
      // Without an answer, a text with a refused key does no harm. With another account's key, that account would pay.
      const isStill = now.kind !== 'ok' && before === 'other_account';
      return troubleIn(now) ?? (isStill ? before : undefined);
    },
  };
}
