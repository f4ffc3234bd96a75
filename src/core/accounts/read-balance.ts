import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { asIfBusy, type RecordedBalance } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Priority } from '../../ledger/model/ledger-limits.ts';
import type { SmsClient } from '../../sms/client.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { Clock } from '../clock.ts';
import type { Books } from './books.ts';
import type { Instance, Instances } from './instances.ts';
import { type Busy, requestWithPermit } from './permitted-request.ts';

/** The service's figure, before it is recorded; or why there is none. */
export type BalanceSaid = Figure | NoBalance;

/** `readAt`: when the answer came, wall ms. */
export interface Figure {
  kind: 'ok';
  credits: number;
  userName: string;
  readAt: number;
}

/** Why nobody can tell the balance now. `other_account`: the key's figure is no longer the linked account's. */
export type NoBalance = NoFigure | { kind: 'other_account' };

/** Why the service gave no figure. */
export type NoFigure =
  | { kind: 'key_refused' }
  | { kind: 'busy'; seconds: number }
  /** `isOutOfReach`: no request could reach the service. */
  | { kind: 'unavailable'; isOutOfReach?: true };

/** The service's figure once it is recorded; or why there is none. */
export type BalanceRead = RecordedFigure | NoBalance;

export interface RecordedFigure extends Figure, RecordedBalance {}

export interface BalanceDeps {
  ledger: Ledger;
  sms: SmsClient;
  instances: Pick<Instances, 'keyOf'>;
  books: Pick<Books, 'compare'>;
  clock: Clock;
  log: Logger;
}

/** After a 429 that does not say how long to wait. */
const RETRY_AFTER_MS = 60_000;

/** The bot gives up a balance read after this many ms: people should not wait longer for it. */
const DEADLINE_MS = 2000;

/**
 * Asks the service for a balance with a permit (GET /user/balance). Call `record` once: it records the figure. Throws what
 * the store throws. `hasOwnCharge`: the bot may itself have used the credits that are missing, though no receipt names
 * them. So nothing compares the figure with the books.
 */
export async function readBalance(
  { ledger, sms, instances, books, clock, log }: BalanceDeps,
  { instance, priority, hasOwnCharge }: { instance: Instance; priority: Priority; hasOwnCharge?: true },
): Promise<{ said: BalanceSaid; record(): Promise<BalanceRead> }> {
  const deadline = clock.steady() + DEADLINE_MS;
  const key = instances.keyOf(instance);
  const rateLimitKey = instance.keyFingerprint;
  const take = (token: string) =>
    ledger.permitBalanceRead(instance.accountId, { rateLimitKey, priority, token });
  const asked = { rateLimitKey, deadline, take };
  const answer = await requestWithPermit({ ledger, clock }, asked, (limits) => sms.balance(key, limits));
  if (answer.outcome !== 'accepted') {
    const none = whyNoBalance(answer);
    return { said: none, record: async () => none };
  }
  const { data, token, permit } = answer;
  const { marker } = permit;
  // Nobody may see or record another account's figure as this account's.
  const said: BalanceSaid =
    data.user_id === instance.userId
      ? { kind: 'ok', credits: data.credits, userName: data.user_name, readAt: clock.wall() }
      : { kind: 'other_account' };

  async function record(): Promise<BalanceRead> {
    // The callers that wait for the figure get it first: recording takes as long again.
    await setImmediate();
    if (said.kind !== 'ok') {
      await ledger.returnPermit(rateLimitKey, token, 'answered');
      log.warn(
        { instance: instance.id },
        'the key of this instance now belongs to another account: replace the key to accept it',
      );
      return said;
    }
    const isCompared = hasOwnCharge || (await books.compare(instance, marker, said.credits));
    const read = { ...marker, ...(hasOwnCharge && { hasOwnCharge }) };
    const recorded = await ledger.recordBalance(isCompared ? read : asIfBusy(read), said.credits);
    return { ...said, ...recorded };
  }

  return { said, record };
}

/** What an outcome other than a balance means. */
export function whyNoBalance(outcome: Exclude<Outcome<unknown> | Busy, { outcome: 'accepted' }>): NoFigure {
  switch (outcome.outcome) {
    case 'busy':
      return { kind: 'busy', seconds: Math.ceil(outcome.waitMs / 1000) };
    case 'rate_limited':
      return { kind: 'busy', seconds: Math.ceil((outcome.retryAfterMs ?? RETRY_AFTER_MS) / 1000) };
    case 'refused':
      return { kind: outcome.reason === 'key' ? 'key_refused' : 'unavailable' };
    case 'not_started':
      return { kind: 'unavailable', isOutOfReach: true };
    case 'unknown':
      return { kind: 'unavailable' };
  }
}
