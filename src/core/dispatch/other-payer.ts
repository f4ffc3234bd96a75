import { z } from 'zod';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { Instance } from '../accounts/instances.ts';
import { goesBack, notSent } from './settlement.ts';

/** Of a send's details: who pays, as it was confirmed. */
const Payer = z.object({ accountId: z.string() });

/**
 * The settlement if another account would pay, since somebody replaced the instance's key after the confirmation: a text
 * is not sent, and a job waits for a person. Undefined if the same account pays.
 */
export function settleOtherPayer(
  { kind, details }: SendRecord,
  { accountId, userName }: Instance,
): Settlement | undefined {
  const confirmed = Payer.safeParse(details).data;
  if (!confirmed || confirmed.accountId === accountId) return undefined;
  if (kind === 'single') return notSent({ cause: 'other_account' });
  return goesBack(0, { why: 'other_account', account: accountId, now: userName });
}
