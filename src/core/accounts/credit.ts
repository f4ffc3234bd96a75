import type { Logger } from 'pino';
import type { SmsClient } from '../../sms/client.ts';
import type { Balance } from '../../sms/schema.ts';
import type { AccountRecord, Audience, BalanceMarker, Ledger } from '../../store/ledger.ts';
import type { Clock } from '../clock.ts';
import type { Instance, Instances } from './instances.ts';
import { requestWithPermit } from './permit.ts';

/** A balance, or why there is none. `quiet`: nothing of the account was in flight, so it may serve as evidence. */
export type BalanceRead =
  | { kind: 'ok'; credits: number; userName: string; quiet: boolean; account: AccountRecord }
  | { kind: 'key_refused' }
  | { kind: 'busy'; seconds: number }
  | { kind: 'unavailable' };

/** Reads balances. One read at a time per account, which everybody who asks meanwhile shares. */
export interface Credit {
  /** Asks the service, for at most `READ_DEADLINE_MS`. */
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
  const reading = new Map<string, { lane: string; audience: Audience; result: Promise<BalanceRead> }>();

  async function ask(instance: Instance, audience: Audience): Promise<BalanceRead> {
    const deadline = clock.steady() + READ_DEADLINE_MS;
    const key = instances.keyOf(instance);
    const outcome = await requestWithPermit(
      { ledger, clock },
      { lane: instance.keyFingerprint, audience, deadline },
      async (limits) => {
        const marker = await ledger.markBalanceRead(instance.accountId);
        const answer = await sms.balance(key, limits);
        return answer.outcome === 'accepted' ? { ...answer, data: { marker, balance: answer.data } } : answer;
      },
    );
    if (outcome.outcome === 'accepted') return take(instance, outcome.data);
    if (outcome.outcome === 'busy') return { kind: 'busy', seconds: Math.ceil(outcome.waitMs / 1000) };
    if (outcome.outcome === 'refused' && outcome.reason === 'key') return { kind: 'key_refused' };
    if (outcome.outcome === 'rate_limited') {
      return { kind: 'busy', seconds: Math.ceil((outcome.retryAfterMs ?? 60_000) / 1000) };
    }
    return { kind: 'unavailable' };
  }

  async function take(
    instance: Instance,
    { marker, balance }: { marker: BalanceMarker; balance: Balance },
  ): Promise<BalanceRead> {
    // A figure of another account than the key had when it was saved must not be booked to that one.
    if (balance.user_id !== instance.userId) {
      log.warn(
        { instance: instance.id },
        'the key of this instance now belongs to another account: replace the key to accept it',
      );
      return { kind: 'unavailable' };
    }
    const { account, quiet } = await ledger.recordBalance(marker, balance.credits);
    return { kind: 'ok', credits: balance.credits, userName: balance.user_name, quiet, account };
  }

  async function read(instance: Instance, audience: Audience): Promise<BalanceRead> {
    const lane = instance.keyFingerprint;
    const running = reading.get(instance.accountId);
    if (running) {
      const shared = await running.result;
      // Another key's refusal, or permits that only people may use, say nothing of this one.
      const asOwn =
        running.lane === lane && (running.audience === 'interactive' || audience === 'background');
      return shared.kind === 'ok' || asOwn ? shared : read(instance, audience);
    }
    const started = ask(instance, audience).finally(() => reading.delete(instance.accountId));
    reading.set(instance.accountId, { lane, audience, result: started });
    const result = await started;
    await deps.onRead(instance, result);
    return result;
  }

  return {
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
      await reading.get(instance.accountId)?.result.catch(() => undefined);
      return read(instance, audience);
    },
  };
}
