import type { Steps } from '../../store/steps.ts';
import type { RequestOutcome, Wait } from '../model/attempt-types.ts';
import type { LedgerLimits, Priority } from '../model/types.ts';
import { queueOfKey } from './key-queue.ts';
import { endPermit, takePermit } from './lone-permits.ts';

/** Permits for requests that carry no chunk. */
export interface PermitLedger {
  /** A permit without a chunk. */
  permit(rateLimitKey: string, priority: Priority, token: string): Promise<{ kind: 'taken' } | Wait>;
  /** Ends the permit of a request without a chunk. After a 429 the key rests. */
  returnPermit(rateLimitKey: string, token: string, request: RequestOutcome): Promise<void>;
}

export function createPermitLedger(run: Steps['run'], limits: LedgerLimits): PermitLedger {
  return {
    permit: (rateLimitKey, priority, token) =>
      run(
        (view) => takePermit(view, { rateLimitKey, priority, token }, limits) ?? { kind: 'taken' },
        queueOfKey(rateLimitKey),
      ),
    returnPermit: (rateLimitKey, token, request) =>
      run((view) => endPermit(view, { rateLimitKey, token }, request, limits), queueOfKey(rateLimitKey)),
  };
}
