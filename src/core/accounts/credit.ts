import type { Priority } from '../../ledger/model/ledger-limits.ts';
import { createShortMemory } from '../short-cache.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instance } from './instances.ts';
import { type KeyUnusable, keyTroubleOf, keyUnusable, troubleIn } from './key-trouble.ts';
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
  priority: Priority;
  said: Promise<BalanceSaid>;
  recorded: Promise<BalanceRead>;
  /** Resolves once key health and warnings have followed, too. */
  followed: Promise<BalanceRead>;
}

export type Credit = ReturnType<typeof createCredit>;

/** Reads balances. All who ask for the same instance meanwhile share one read. Throws what the store throws. */
export function createCredit(
  deps: BalanceDeps & {
    /** Called after each read: key health and warnings follow. */
    onRead(instance: Instance, read: BalanceRead): Promise<void>;
  },
) {
  const { ledger, clock } = deps;
  /** Each key asks for itself: what the service says of one key says nothing of another. */
  const readings = new Map<string, Reading>();
  /** By account: its last read, if it was quiet. By the wall clock: the steady clock stops while the machine sleeps. */
  const lastReads = createShortMemory<RecordedFigure>(JUST_NOW_MS, clock.wall);

  function begin(name: string, instance: Instance, priority: Priority): Reading {
    const answer = readBalance(deps, { instance, priority });
    const said = answer.then((each) => each.said);
    const recorded = answer.then((each) => each.record()).finally(() => readings.delete(name));
    const followed = recorded.then(async (read) => {
      if (read.kind === 'ok' && read.quiet) lastReads.set(read.account.id, read, read.readAt);
      await deps.onRead(instance, read);
      return read;
    });
    // If nobody waits for them, their failure must not end the process.
    for (const each of [said, recorded, followed]) each.catch(() => undefined);
    const reading = { priority, said, recorded, followed };
    readings.set(name, reading);
    return reading;
  }

  /**
   * Asks the service, for two seconds at most. Resolves before the figure is recorded, for people who wait to see it.
   * `recorded` rejects if the store fails. For the caller that began the read, it resolves once key health and warnings
   * followed.
   */
  async function ask(
    instance: Instance,
    priority: Priority,
  ): Promise<{ said: BalanceSaid; recorded: Promise<BalanceRead> }> {
    const name = nameOf(instance);
    const running = readings.get(name);
    const reading = running ?? begin(name, instance, priority);
    const hasTrouble = keyTroubleOf(instance) !== undefined;
    // A caller whose key has trouble goes on only once the end of that trouble is written down.
    const recorded = running && !hasTrouble ? running.recorded : reading.followed;
    const said = await reading.said;
    // People may use permits that a read in the background may not.
    if (said.kind !== 'busy' || priority === 'background' || reading.priority === 'interactive')
      return { said, recorded };
    await reading.recorded.catch(() => undefined);
    return ask(instance, priority);
  }

  /** As `ask`, but resolves once the figure is recorded. */
  async function read(instance: Instance, priority: Priority): Promise<BalanceRead> {
    const { recorded } = await ask(instance, priority);
    return recorded;
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
      // If that read fails, whoever began it reports it.
      await readings.get(nameOf(instance))?.recorded.catch(() => undefined);
      return read(instance, priority);
    },
    /** The figure of a quiet read at most `JUST_NOW_MS` ago, if nothing was sent since. Only to be shown. */
    async justRead({ accountId }: InstanceView): Promise<Figure | undefined> {
      const last = lastReads.get(accountId);
      // Somebody may have set the clock back.
      if (!last || clock.wall() < last.readAt) return undefined;
      const known = await ledger.account(accountId);
      const { asOf, activity } = last.account;
      return known?.asOf === asOf && known.activity === activity ? last : undefined;
    },
    /** The known figure, however old, and since when (ms since 1970). */
    async known({ accountId }: InstanceView): Promise<{ credits: number; at: number } | undefined> {
      const account = await ledger.account(accountId);
      return account && { credits: account.credits, at: account.asOf };
    },
    /** The known figure if it is at most `maxAgeMs` old, else a new one; undefined if the service gives none. */
    async recent(instance: Instance, maxAgeMs: number): Promise<number | undefined> {
      const account = await ledger.account(instance.accountId);
      return account && ledger.now() - account.asOf <= maxAgeMs ? account.credits : askedCredits(instance);
    },
    /** `figure` if it covers `needed`, else the service’s own, or undefined: an old figure must not refuse a text. */
    async askIfShort(instance: Instance, figure: number | undefined, needed: number) {
      return figure === undefined || figure >= needed ? figure : askedCredits(instance);
    },
    /** Whether the key has trouble. Asks again about a key that had any: nobody should wait for the next poll. */
    async keyUnusable(instance: Instance): Promise<KeyUnusable | undefined> {
      const before = keyTroubleOf(instance);
      if (!before) return undefined;
      const now = await read(instance, 'interactive');
      // Without an answer, a text with a refused key does no harm. With another account's key, that account would pay.
      const isStill = now.kind !== 'ok' && before === 'other_account';
      return keyUnusable(instance, troubleIn(now) ?? (isStill ? before : undefined));
    },
  };
}

/** Somebody may replace the key meanwhile, or accept its new account: that asks for itself, too. */
function nameOf({ team, id, keyFingerprint, accountId }: Instance): string {
  return [team, id, keyFingerprint, accountId].join(' ');
}
