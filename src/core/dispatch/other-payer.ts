import { z } from 'zod';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { SendRecord } from '../../ledger/model/types.ts';
import type { Instance } from '../accounts/instances.ts';
import { writePauseReason } from '../jobs/pause-reason.ts';
import { result } from './settlement.ts';

/** Another account would pay than the one that was confirmed: the instance's key was replaced since. Nothing left. */
export interface OtherPayer {
  outcome: 'other_account';
}

/** Of a send's details: who pays, as it was confirmed. */
const Payer = z.object({ accountId: z.string() });

/** What a send becomes that another account would pay: a text is not sent, a job waits for a person's word. */
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
