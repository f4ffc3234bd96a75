import type { LedgerLimits } from '../../../src/ledger/model/ledger-limits.ts';

/** What the bots of a retention run go by. */
export const RETENTION_LIMITS: LedgerLimits = {
  permits: 10_000,
  windowMs: 1000,
  leaseMs: 1500,
  timeoutMs: 500,
};
export const SECRET = Buffer.alloc(32, 7);
