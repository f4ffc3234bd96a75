import { randomUUID } from 'node:crypto';
import type { Ledger, Priority, RequestOutcome } from '../../ledger/ledger.ts';
import type { Outcome } from '../../sms/outcome.ts';
import { type Clock, jittered } from '../clock.ts';

/** No permit was free before the deadline: nothing was asked. `waitMs` until one is. */
export interface Busy {
  outcome: 'busy';
  waitMs: number;
}

/**
 * What an outcome means for its permit and its key: one that never left is free at once, an unanswered one is in doubt,
 * and after a 429 the key rests.
 */
export function fateOf(outcome: Outcome<unknown>): RequestOutcome {
  switch (outcome.outcome) {
    case 'not_started':
      return 'never_started';
    case 'rate_limited':
      return { restMs: outcome.retryAfterMs };
    case 'unknown':
      return outcome.cause === 'unexpected_status' ? 'answered' : 'unanswered';
    case 'accepted':
    case 'refused':
      return 'answered';
  }
}

/** A service that is down must not use up the permits that people's texts need. */
const TRIES = 3;
const RETRY_MS = 150;

/**
 * Makes a request that is safe to repeat (a balance read) under a permit of the key, and makes it again after a pause
 * where no clear answer came, three times at most. Waits for a permit, a pause and an answer no longer than until
 * `deadline` (steady ms).
 */
export async function requestWithPermit<Data>(
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  { rateLimitKey, priority, deadline }: { rateLimitKey: string; priority: Priority; deadline: number },
  request: (limits: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
): Promise<Outcome<Data> | Busy> {
  for (let tries = 1; ; tries += 1) {
    const token = randomUUID();
    for (;;) {
      const permit = await ledger.permit(rateLimitKey, priority, token);
      if (permit.kind === 'taken') break;
      const waitMs = Math.max(1, permit.until - ledger.now());
      if (clock.steady() + waitMs > deadline) return { outcome: 'busy', waitMs };
      await clock.sleep(waitMs);
    }
    const outcome = await request({ startBy: deadline, deadline });
    await ledger.returnPermit(rateLimitKey, token, fateOf(outcome));
    const clear = outcome.outcome !== 'not_started' && outcome.outcome !== 'unknown';
    const pause = jittered(RETRY_MS);
    if (clear || tries === TRIES || clock.steady() + pause >= deadline) return outcome;
    await clock.sleep(pause);
  }
}
