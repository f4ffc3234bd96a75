import { z } from 'zod';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { SendRecord } from '../../ledger/model/types.ts';
import type { Instance } from '../accounts/instances.ts';
import { writePauseReason } from '../jobs/pause-reason.ts';
import { result } from './settlement.ts';

/** Somebody replaced the instance's key after the confirmation, so another account would pay. Nothing was sent. */
export interface OtherPayer {
  outcome: 'other_account';
}

/** Of a send's details: who pays, as it was confirmed. */
const Payer = z.object({ accountId: z.string() });

/**
 * The settlement if another account would pay: a text is not sent, and a job waits for a person. Undefined if the same
 * account pays.
 */
export function settleOtherPayer(
  { kind, details }: SendRecord,
  { accountId, userName }: Instance,
): Settlement | undefined {
  const confirmed = Payer.safeParse(details).data;
  if (!confirmed || confirmed.accountId === accountId) return undefined;
  if (kind === 'single') {
    return { to: 'not_sent', request: 'never_started', result: result({ cause: 'other_account' }) };
  }
  const pause = writePauseReason({ why: 'other_account', account: accountId, now: userName });
  return { to: 'pending', request: 'never_started', waitMs: 0, pause };
}
