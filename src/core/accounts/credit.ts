import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SmsClient } from '../../sms/client.ts';
import type { Outcome } from '../../sms/outcome.ts';
import type { Balance } from '../../sms/schema.ts';
import type { AccountRecord, Audience, Ledger } from '../../store/ledger.ts';
import type { Clock } from '../clock.ts';
import type { Instance, Instances } from './instances.ts';
import { type Busy, requestWithPermit } from './permit.ts';

/** Why there is no balance to be had. */
type NoBalance = { kind: 'key_refused' } | { kind: 'busy'; seconds: number } | { kind: 'unavailable' };

/** What the service says of a balance, or why nothing is known of it. */
export type BalanceSaid = { kind: 'ok'; credits: number; userName: string } | NoBalance;

/** The same in our books. `quiet`: nothing of the account was in flight, so it may serve as evidence. */
export type BalanceRead =
  | { kind: 'ok'; credits: number; userName: string; quiet: boolean; account: AccountRecord }
  | NoBalance;

/** A read whose answer is there. `booked`: once the figure is in the books, and key health and warnings have followed. */
export interface BalanceAsked {
  said: BalanceSaid;
  booked: Promise<BalanceRead>;
}

/** Reads balances. One read at a time per account, which everybody who asks meanwhile shares. */
export interface Credit {
  /** Asks the service, for at most `READ_DEADLINE_MS`; answers before it is booked, for people who wait to see it. */
  ask(instance: Instance, audience: Audience): Promise<BalanceAsked>;
  /** The same, booked. */
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

/** A read that is under way. */
interface Reading {
  lane: string;
  audience: Audience;
  /** The service has answered; what is left is to book it. */
  isSaid: boolean;
  asked: Promise<BalanceAsked>;
  booked: Promise<BalanceRead>;
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
  /** By account: the reads that are not booked yet. */
  const reading = new Map<string, Reading>();

  /** Asks and books; tells what was said as soon as it is known. */
  async function readOnce(
    instance: Instance,
    audience: Audience,
    tell: (said: BalanceSaid) => void,
  ): Promise<BalanceRead> {
    const deadline = clock.steady() + READ_DEADLINE_MS;
    const key = instances.keyOf(instance);
    const outcome = await requestWithPermit(
      { ledger, clock },
      { lane: instance.keyFingerprint, audience, deadline },
      async (limits) => {
        const marker = await ledger.markBalanceRead(instance.accountId);
        const answer = await sms.balance(key, limits);
        if (answer.outcome !== 'accepted') return answer;
        tell(saidBy(answer, instance));
        // Whoever waits for it is answered before the books are written: that takes as long again.
        await setImmediate();
        return { ...answer, data: { ...answer.data, marker } };
      },
    );
    const said = saidBy(outcome, instance);
    if (outcome.outcome !== 'accepted') return said as NoBalance;
    if (said.kind !== 'ok') {
      log.warn(
        { instance: instance.id },
        'the key of this instance now belongs to another account: replace the key to accept it',
      );
      return said;
    }
    const { account, quiet } = await ledger.recordBalance(outcome.data.marker, said.credits);
    return { ...said, quiet, account };
  }

  function begin(instance: Instance, audience: Audience): Reading {
    const { promise: said, resolve, reject } = Promise.withResolvers<BalanceSaid>();
    const booked = book((early) => {
      begun.isSaid = true;
      resolve(early);
    });
    // Whoever was told before has what they asked for.
    booked.then(resolve, reject);
    const begun: Reading = {
      lane: instance.keyFingerprint,
      audience,
      isSaid: false,
      asked: said.then((early) => ({ said: early, booked })),
      booked,
    };
    return begun;

    async function book(tell: (said: BalanceSaid) => void): Promise<BalanceRead> {
      const read = await readOnce(instance, audience, tell).finally(() => reading.delete(instance.accountId));
      await deps.onRead(instance, read);
      return read;
    }
  }

  async function ask(instance: Instance, audience: Audience): Promise<BalanceAsked> {
    const running = reading.get(instance.accountId);
    if (!running) {
      const begun = begin(instance, audience);
      reading.set(instance.accountId, begun);
      return begun.asked;
    }
    // Its request has ended, and what was asked for is a figure of now; its books come first.
    if (running.isSaid) await running.booked.catch(() => undefined);
    else {
      const shared = await running.asked;
      // Another key's refusal, or permits that only people may use, say nothing of this one.
      const asOwn =
        running.lane === instance.keyFingerprint &&
        (running.audience === 'interactive' || audience === 'background');
      if (shared.said.kind === 'ok' || asOwn) return shared;
    }
    return ask(instance, audience);
  }

  async function read(instance: Instance, audience: Audience): Promise<BalanceRead> {
    const { booked } = await ask(instance, audience);
    return booked;
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
      await reading.get(instance.accountId)?.booked.catch(() => undefined);
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
