import type { Steps } from '../../store/steps.ts';
import type { RequestOutcome, Wait } from '../model/attempt-types.ts';
import type { LedgerLimits, Priority } from '../model/ledger-limits.ts';
import { queueOfKey } from './key-queue.ts';
import { endPermit, takePermit } from './lone-permits.ts';

/** Permits for requests that carry no chunk. */
export function createPermitLedger(run: Steps['run'], limits: LedgerLimits) {
  return {
    /** A permit without a chunk. */
    permit: (rateLimitKey: string, priority: Priority, token: string) =>
      run<{ kind: 'taken' } | Wait>(
        (view) => takePermit(view, { rateLimitKey, priority, token }, limits) ?? { kind: 'taken' },
        queueOfKey(rateLimitKey),
      ),
    /** Ends the permit of a request without a chunk. After a 429 the key rests. */
    returnPermit: (rateLimitKey: string, token: string, request: RequestOutcome) =>
      run((view) => endPermit(view, { rateLimitKey, token }, request, limits), queueOfKey(rateLimitKey)),
  };
}
