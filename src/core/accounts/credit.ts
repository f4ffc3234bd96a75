import type { Priority } from '../../ledger/model/ledger-limits.ts';
import type { InstanceView } from './instance-view.ts';
import type { Instance } from './instances.ts';
import {
  type BalanceDeps,
  type BalanceRead,
  type BalanceSaid,
  type Figure,
  type RecordedFigure,
  readBalance,
} from './read-balance.ts';

/** A read that the service has answered. */
export interface AnsweredRead {
  said: BalanceSaid;
  /** Resolves once key health and warnings have followed, too. Rejects if the store fails. */
  recorded: Promise<BalanceRead>;
}

/**
 * Too short for a person to notice that the bot did not ask again. Commands without a pause would take the key's
 * permits.
 */
const JUST_NOW_MS = 250;

/** A read that is not recorded yet. */
interface Reading {
  rateLimitKey: string;
  priority: Priority;
  answer: Promise<BalanceSaid>;
  recorded: Promise<BalanceRead>;
}

export type Credit = ReturnType<typeof createCredit>;

/** Reads balances, one read at a time per account: all who ask meanwhile share it. Throws what the store throws. */
export function createCredit(
  deps: BalanceDeps & {
    /** Told after each read, so that key health and warnings follow. */
    onRead(instance: Instance, read: BalanceRead): Promise<void>;
  },
) {
  const { ledger, clock } = deps;
  const readings = new Map<string, Reading>();
  /** By account, the oldest first. */
  const lastReads = new Map<string, RecordedFigure>();

  function begin(instance: Instance, priority: Priority): Reading {
    const answer = Promise.withResolvers<BalanceSaid>();
    const recorded = readBalance(deps, { instance, priority }, answer.resolve).finally(() =>
      readings.delete(instance.accountId),
    );
    // A read without a figure has not resolved the answer yet.
    recorded.then(answer.resolve, answer.reject);
    return { rateLimitKey: instance.keyFingerprint, priority, answer: answer.promise, recorded };
  }

  /** By the wall clock: the steady clock stops while the machine sleeps. */
  function isJustNow({ readAt }: RecordedFigure): boolean {
    const age = clock.wall() - readAt;
    return age >= 0 && age <= JUST_NOW_MS;
  }

  function remember(read: RecordedFigure): void {
    lastReads.delete(read.account.id);
    lastReads.set(read.account.id, read);
    for (const [id, last] of lastReads) {
      if (isJustNow(last)) break;
      lastReads.delete(id);
    }
  }

  /** Asks the service, for two seconds at most; resolves before the figure is recorded, for people who wait to see it. */
  async function ask(instance: Instance, priority: Priority): Promise<AnsweredRead> {
    const running = readings.get(instance.accountId);
    if (!running) {
      const begun = begin(instance, priority);
      readings.set(instance.accountId, begun);
      const recorded = begun.recorded.then(async (read) => {
        if (read.kind === 'ok' && read.quiet) remember(read);
        await deps.onRead(instance, read);
        return read;
      });
      // If nobody waits for the record, its failure must not end the process.
      recorded.catch(() => undefined);
      return { said: await begun.answer, recorded };
    }
    const said = await running.answer;
    // Another key's refusal says nothing about this key. Nor does a background read that got no permit.
    const asOwn =
      running.rateLimitKey === instance.keyFingerprint &&
      (running.priority === 'interactive' || priority === 'background');
    if (said.kind === 'ok' || asOwn) return { said, recorded: running.recorded };
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
    /**
     * The figure of a read at most `JUST_NOW_MS` ago, if no text of the account was on its way then or since. Show it to
     * people, but decide nothing by it.
     */
    async justRead({ accountId }: InstanceView): Promise<Figure | undefined> {
      const last = lastReads.get(accountId);
      if (!last || !isJustNow(last)) return undefined;
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
    /**
     * `figure` if it covers `needed`; else the service's own figure, since somebody may have topped up. Undefined if the
     * service gives none: an old figure must not refuse a text.
     */
    async askIfShort(instance: Instance, figure: number | undefined, needed: number) {
      return figure === undefined || figure >= needed ? figure : askedCredits(instance);
    },
    /**
     * Whether the service refuses the instance's key. A key that was refused is checked again: it may work again, and
     * nobody should have to wait for the next poll.
     */
    async isKeyRefused(instance: Instance): Promise<boolean> {
      if (instance.keyRefusedAt === undefined) return false;
      return (await read(instance, 'interactive')).kind === 'key_refused';
    },
  };
}
