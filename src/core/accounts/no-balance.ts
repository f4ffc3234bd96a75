import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { Busy } from './permitted-request.ts';

/** Why there is no balance to be had. */
export type NoBalance =
  | { kind: 'key_refused' }
  | { kind: 'busy'; seconds: number }
  /** `isOutOfReach`: no request could reach the service. */
  | { kind: 'unavailable'; isOutOfReach?: true };

/** After a 429 that does not say how long to wait. */
const RETRY_AFTER_MS = 60_000;

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
