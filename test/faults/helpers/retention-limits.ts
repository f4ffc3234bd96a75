import type { LedgerLimits } from '../../../src/ledger/model/ledger-limits.ts';

/** The limits of the bots in a retention run. */
export const RETENTION_LIMITS: LedgerLimits = {
  permits: 10_000,
  windowMs: 1000,
  leaseMs: 1500,
  timeoutMs: 500,
};
export const SECRET = Buffer.alloc(32, 7);
