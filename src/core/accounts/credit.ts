import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SmsClient } from '../../sms/client.ts';
import type { Outcome } from '../../sms/outcome.ts';
import type { Balance } from '../../sms/schema.ts';
import type { AccountRecord, Audience, BalanceMarker, Ledger } from '../../store/ledger.ts';
import type { Clock } from '../clock.ts';
import type { Instance, Instances } from './instances.ts';
import { type Busy, requestWithPermit } from './permit.ts';

/** Why there is no balance to be had. */
type NoBalance = { kind: 'key_refused' } | { kind: 'busy'; seconds: number } | { kind: 'unavailable' };

/** What the service says of a balance, or why nothing is known of it. */
export type BalanceSaid = { kind: 'ok'; credits: number; userName: string } | NoBalance;

/** The same as it is recorded. `quiet`: nothing of the account was in flight, so it may serve as evidence. */
export type BalanceRead =
  | { kind: 'ok'; credits: number; userName: string; quiet: boolean; account: AccountRecord }
  | NoBalance;

/** A read that the service has answered. */
export interface AnsweredRead {
  said: BalanceSaid;
  /** For whoever began the read, once key health and warnings have followed too. Rejects where the store fails. */
  recorded: Promise<BalanceRead>;
}

/**
 * Reads balances. One read at a time per account, until it is recorded; everybody who asks meanwhile shares it. What the
 * store throws is thrown.
 */
export interface Credit {
  /** Asks the service, for at most `READ_DEADLINE_MS`; resolves before the figure is recorded, for people who wait to see it. */
  ask(instance: Instance, audience: Audience): Promise<AnsweredRead>;
  /** The same, recorded. */
  read(instance: Instance, audience: Audience): Promise<BalanceRead>;
  /** The known figure if it is at most `maxAgeMs` old, else a read; undefined when there is none to be had. */
  recent(instance: Instance, maxAgeMs: number): Promise<number | undefined>;
  /** The known figure, however old. */
  known(instance: Instance): Promise<AccountRecord | undefined>;
  /** A figure that is less than `needed` is asked for anew: somebody may have topped up a moment ago. */
  askIfShort(instance: Instance, figure: number | undefined, needed: number): Promise<number | undefined>;
  /** As `read`, by a request that begins after this call. */
  readAnew(instance: Instance, audience: Audience): Promise<BalanceRead>;
}

/** A read that is not recorded yet. */
interface Reading {
  lane: string;
  audience: Audience;
  answer: Promise<BalanceSaid>;
  recorded: Promise<BalanceRead>;
}

/** A balance read that takes longer is given up: it is there to inform, not to hold people up. */
const READ_DEADLINE_MS = 2000;

export function createCredit(deps: {
  ledger: Ledger;
  sms: SmsClient;
  instances: Instances;
  clock: Clock;
  log: Logger;
  /** Told after each read, so that key health and warnings follow. */
  onRead(instance: Instance, read: BalanceRead): Promise<void>;
}): Credit {
  const { ledger, sms, instances, clock, log } = deps;
  /** By account. */
  const readings = new Map<string, Reading>();

  /** Makes the request and records the figure; tells of an accepted answer before that. */
  async function askAndRecord(
    instance: Instance,
    audience: Audience,
    tell: (said: BalanceSaid) => void,
  ): Promise<BalanceRead> {
    const deadline = clock.steady() + READ_DEADLINE_MS;
    const key = instances.keyOf(instance);
    let marker: BalanceMarker | undefined;
    const outcome = await requestWithPermit(
      { ledger, clock },
      { lane: instance.keyFingerprint, audience, deadline },
      async (limits) => {
        marker = await ledger.markBalanceRead(instance.accountId);
        const answer = await sms.balance(key, limits);
        if (answer.outcome === 'accepted') {
          tell(saidBy(answer, instance));
          // Whoever waits for it is answered first: to return the permit and record the figure takes as long again.
          await setImmediate();
        }
        return answer;
      },
    );
    const said = saidBy(outcome, instance);
    if (said.kind === 'ok' && marker) {
      const { account, quiet } = await ledger.recordBalance(marker, said.credits);
      return { ...said, quiet, account };
    }
    if (outcome.outcome === 'accepted') {
      log.warn(
        { instance: instance.id },
        'the key of this instance now belongs to another account: replace the key to accept it',
      );
    }
    return said as NoBalance;
  }

  function begin(instance: Instance, audience: Audience): Reading {
    const answer = Promise.withResolvers<BalanceSaid>();
    const recorded = askAndRecord(instance, audience, answer.resolve).finally(() =>
      readings.delete(instance.accountId),
    );
    // What was not told before is told now.
    recorded.then(answer.resolve, answer.reject);
    return { lane: instance.keyFingerprint, audience, answer: answer.promise, recorded };
  }

  async function ask(instance: Instance, audience: Audience): Promise<AnsweredRead> {
    const running = readings.get(instance.accountId);
    if (!running) {
      const begun = begin(instance, audience);
      readings.set(instance.accountId, begun);
      const recorded = begun.recorded.then(async (read) => {
        await deps.onRead(instance, read);
        return read;
      });
      // Not everybody waits for it.
      recorded.catch(() => undefined);
      return { said: await begun.answer, recorded };
    }
    const said = await running.answer;
    // Another key's refusal, or permits that only people may use, say nothing of this one.
    const asOwn =
      running.lane === instance.keyFingerprint &&
      (running.audience === 'interactive' || audience === 'background');
    if (said.kind === 'ok' || asOwn) return { said, recorded: running.recorded };
    await isOver(running);
    return ask(instance, audience);
  }

  /** Resolves when a read is recorded; that this failed is for those to say who began it. */
  async function isOver(running: Reading | undefined): Promise<void> {
    await running?.recorded.catch(() => undefined);
  }

  async function read(instance: Instance, audience: Audience): Promise<BalanceRead> {
    const { recorded } = await ask(instance, audience);
    return recorded;
  }

  return {
    ask,
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
      return result.kind === 'ok' ? result.credits : figure;
    },
    async readAnew(instance, audience) {
      await isOver(readings.get(instance.accountId));
      return read(instance, audience);
    },
  };
}

/** What an answer says; `unavailable` too where it is of another account than the key had when it was saved. */
function saidBy(outcome: Outcome<Balance> | Busy, instance: Instance): BalanceSaid {
  if (outcome.outcome === 'accepted') {
    const { user_id, user_name: userName, credits } = outcome.data;
    return user_id === instance.userId ? { kind: 'ok', credits, userName } : { kind: 'unavailable' };
  }
  if (outcome.outcome === 'busy') return { kind: 'busy', seconds: Math.ceil(outcome.waitMs / 1000) };
  if (outcome.outcome === 'refused' && outcome.reason === 'key') return { kind: 'key_refused' };
  if (outcome.outcome === 'rate_limited') {
    return { kind: 'busy', seconds: Math.ceil((outcome.retryAfterMs ?? 60_000) / 1000) };
  }
  return { kind: 'unavailable' };
}
