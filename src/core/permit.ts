import { randomUUID } from 'node:crypto';
import type { Outcome } from '../sms/outcome.ts';
import type { Audience, Ledger, RequestFate } from '../store/ledger.ts';
import type { Clock } from './clock.ts';

/** No permit was free before the deadline: nothing was asked. `waitMs` until one is. */
export interface Busy {
  outcome: 'busy';
  waitMs: number;
}

/** What an outcome means for its permit: one that never left is free at once, an unanswered one is in doubt. */
export function fateOf(outcome: Outcome<unknown>): RequestFate {
  if (outcome.outcome === 'not_started') return 'never_started';
  return outcome.outcome === 'unknown' && outcome.cause !== 'unexpected_status' ? 'unanswered' : 'answered';
}

/**
 * Makes one request that is safe to repeat (a balance read) under a permit of the key, waiting for the permit no longer
 * than until `deadline` (steady ms), which the request keeps too.
 */
export async function requestWithPermit<Data>(
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  { lane, audience, deadline }: { lane: string; audience: Audience; deadline: number },
  request: (limits: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
): Promise<Outcome<Data> | Busy> {
  const token = randomUUID();
  for (;;) {
    const permit = await ledger.permit(lane, audience, token);
    if (permit.kind === 'taken') break;
    const waitMs = Math.max(1, permit.until - ledger.now());
    if (clock.steady() + waitMs > deadline) return { outcome: 'busy', waitMs };
    await clock.sleep(waitMs);
  }
  const outcome = await request({ startBy: deadline, deadline });
  await ledger.returnPermit(token, fateOf(outcome));
  return outcome;
}
