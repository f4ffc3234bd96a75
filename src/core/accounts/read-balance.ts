import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RecordedBalance } from '../../ledger/accounts/account-types.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Priority } from '../../ledger/model/ledger-limits.ts';
import type { SmsClient } from '../../sms/client.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { Clock } from '../clock.ts';
import type { Books } from './books.ts';
import type { Instance, Instances } from './instances.ts';
import { type Busy, fateOf, repeatWithPermit } from './permitted-request.ts';

/** What the service says of a balance, or why nothing is known of it. */
export type BalanceSaid = Figure | NoBalance;

/** `readAt`: when the service said so, wall ms. */
export interface Figure {
  kind: 'ok';
  credits: number;
  userName: string;
  readAt: number;
}

/** Why there is no balance to be had. */
export type NoBalance =
  | { kind: 'key_refused' }
  | { kind: 'busy'; seconds: number }
  /** `isOutOfReach`: no request could reach the service. */
  | { kind: 'unavailable'; isOutOfReach?: true };

/** The same as it is recorded. */
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

/** A balance read that takes longer is given up: it is there to inform, not to hold people up. */
const DEADLINE_MS = 2000;

/**
 * Asks the service for a balance under a permit (GET /user/balance) and records the figure. Tells of an answer that was
 * accepted before that, and of no other. Throws what the store throws. `hasOwnCharge`: the bot may itself have used what is
 * missing, though no answer says so.
 */
export async function readBalance(
  { ledger, sms, instances, books, clock, log }: BalanceDeps,
  { instance, priority, hasOwnCharge }: { instance: Instance; priority: Priority; hasOwnCharge?: true },
  tell: (said: BalanceSaid) => void,
): Promise<BalanceRead> {
  const deadline = clock.steady() + DEADLINE_MS;
  const key = instances.keyOf(instance);
  const rateLimitKey = instance.keyFingerprint;
  const take = (token: string) =>
    ledger.permitBalanceRead(instance.accountId, { rateLimitKey, priority, token });
  const answer = await repeatWithPermit({ ledger, clock, deadline }, take, async ({ marker }, token) => {
    const outcome = await sms.balance(key, { startBy: deadline, deadline });
    if (outcome.outcome === 'accepted') return { ...outcome, token, marker };
    await ledger.returnPermit(rateLimitKey, token, fateOf(outcome));
    return outcome;
  });
  if (answer.outcome !== 'accepted') return whyNoBalance(answer);
  const { data, token, marker } = answer;
  // A figure of another account than the key had when it was saved must be neither told nor recorded as this one's.
  const said: BalanceSaid =
    data.user_id === instance.userId
      ? { kind: 'ok', credits: data.credits, userName: data.user_name, readAt: clock.wall() }
      : { kind: 'unavailable' };
  tell(said);
  // Whoever waits for it is answered first: recording takes as long again.
  await setImmediate();
  if (said.kind !== 'ok') {
    await ledger.returnPermit(rateLimitKey, token, 'answered');
    log.warn(
      { instance: instance.id },
      'the key of this instance now belongs to another account: replace the key to accept it',
    );
    return said;
  }
  const counts = await books.compare(instance, marker, said.credits);
  const own = { ...marker, ...(hasOwnCharge && { hasOwnCharge }) };
  const marked = counts ? own : { ...own, nothingSending: false, idle: false };
  return { ...said, ...(await ledger.recordBalance(marked, said.credits)) };
}

/** What an outcome other than a balance means. */
export function whyNoBalance(outcome: Exclude<Outcome<unknown> | Busy, { outcome: 'accepted' }>): NoBalance {
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
