import { randomUUID } from 'node:crypto';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RequestEnd, Wait } from '../../ledger/model/attempt-types.ts';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import { type Clock, jittered } from '../clock.ts';

/** No permit was free before the deadline, so the bot asked nothing. `waitMs`: until one is free. */
export interface Busy {
  outcome: 'busy';
  waitMs: number;
}

/** How a request with this outcome ended, for its permit. After a 429 the key rests. */
export function requestEndOf(outcome: Outcome<unknown>): RequestEnd {
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

/** Only a few tries: otherwise a service that is down would use up the permits that people's texts need. */
const TRIES = 3;
const RETRY_MS = 150;

/**
 * Makes a request that is safe to repeat, until an answer is clear. Makes three at most, each with a permit of the key.
 * Never waits past `deadline` (steady ms), neither for a permit nor for an answer nor between two tries. The permit of an
 * accepted request is the caller's, who ends it. All others are given back.
 */
export async function requestWithPermit<Permit extends { kind: 'taken' }, Data>(
  { ledger, clock }: { ledger: Pick<Ledger, 'now' | 'returnPermit'>; clock: Clock },
  asked: { rateLimitKey: string; deadline: number; take(token: string): Promise<Permit | Wait> },
  request: (limits: { startBy: number; deadline: number }) => Promise<Outcome<Data>>,
): Promise<
  | { outcome: 'accepted'; data: Data; permit: Permit; token: string }
  | Exclude<Outcome<Data>, { outcome: 'accepted' }>
  | Busy
> {
  const { rateLimitKey, deadline, take } = asked;
  let tries = 0;
  for (;;) {
    const token = randomUUID();
    const permit = await take(token);
    if (permit.kind === 'wait') {
      const waitMs = Math.max(1, permit.until - ledger.now());
      if (clock.steady() + waitMs > deadline) return { outcome: 'busy', waitMs };
      await clock.sleep(waitMs);
      continue;
    }
    const outcome = await request({ startBy: deadline, deadline });
    if (outcome.outcome === 'accepted') return { ...outcome, permit, token };
    await ledger.returnPermit(rateLimitKey, token, requestEndOf(outcome));
    tries += 1;
    const isClear = outcome.outcome !== 'not_started' && outcome.outcome !== 'unknown';
    const pause = jittered(RETRY_MS);
    if (isClear || tries === TRIES || clock.steady() + pause >= deadline) return outcome;
    await clock.sleep(pause);
  }
}
