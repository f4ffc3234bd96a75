import type { AccountRecord } from '../../ledger/accounts/account-types.ts';
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

/** Reads balances, one read at a time per account: all who ask meanwhile share it. Throws what the store throws. */
export interface Credit {
  /** Asks the service, for two seconds at most; resolves before the figure is recorded, for people who wait to see it. */
  ask(instance: Instance, priority: Priority): Promise<AnsweredRead>;
  /** As `ask`, but resolves once the figure is recorded. */
  read(instance: Instance, priority: Priority): Promise<BalanceRead>;
  /** As `read`, by a request that begins after this call. */
  readFresh(instance: Instance, priority: Priority): Promise<BalanceRead>;
  /**
   * The figure of a read at most `JUST_NOW_MS` ago, if no text of the account was on its way then or since. Show it to
   * people, but decide nothing by it.
   */
  justRead(instance: InstanceView): Promise<Figure | undefined>;
  /** The known figure if it is at most `maxAgeMs` old, else a new one; undefined if the service gives none. */
  recent(instance: Instance, maxAgeMs: number): Promise<number | undefined>;
  /** The known figure, however old. */
  known(instance: InstanceView): Promise<AccountRecord | undefined>;
  /**
   * `figure` if it covers `needed`; else the service's own figure, since somebody may have topped up. Undefined if the
   * service gives none: an old figure must not refuse a text.
   */
  askIfShort(instance: Instance, figure: number | undefined, needed: number): Promise<number | undefined>;
}

/**
 * Whether the service refuses the instance's key. A key that was refused is checked again: it may work by now, and
 * nobody should have to wait for the next poll.
 */
export async function isKeyRefused(credit: Pick<Credit, 'read'>, instance: Instance): Promise<boolean> {
  if (instance.keyRefusedAt === undefined) return false;
  return (await credit.read(instance, 'interactive')).kind === 'key_refused';
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

export function createCredit(
  deps: BalanceDeps & {
    /** Told after each read, so that key health and warnings follow. */
    onRead(instance: Instance, read: BalanceRead): Promise<void>;
  },
): Credit {
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

  async function read(instance: Instance, priority: Priority): Promise<BalanceRead> {
    const { recorded } = await ask(instance, priority);
    return recorded;
  }

  return {
    ask,
    async justRead({ accountId }) {
      const last = lastReads.get(accountId);
      if (!last || !isJustNow(last)) return undefined;
      const known = await ledger.account(accountId);
      const { asOf, activity } = last.account;
      return known?.asOf === asOf && known.activity === activity ? last : undefined;
    },
    read,
    known: (instance) => ledger.account(instance.accountId),
    async recent(instance, maxAgeMs) {
      const known = await ledger.account(instance.accountId);
      if (known && ledger.now() - known.asOf <= maxAgeMs) return known.credits;
      const result = await read(instance, 'interactive');
      return result.kind === 'ok' ? result.credits : undefined;
    },
    async askIfShort(instance, figure, needed) {
      if (figure === undefined || figure >= needed) return figure;
      const result = await read(instance, 'interactive');
      return result.kind === 'ok' ? result.credits : undefined;
    },
    async readFresh(instance, priority) {
      await whenRecorded(readings.get(instance.accountId));
      return read(instance, priority);
    },
  };
}
