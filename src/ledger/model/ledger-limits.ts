/** Limits that the ledger enforces, from the configuration. */
export interface LedgerLimits {
  /** Permits per window and key ("Limits": 60 requests per minute, per API key, all endpoints). */
  permits: number;
  windowMs: number;
  /** How long an attempt may act before it counts as unknown. */
  leaseMs: number;
  /** Deadline of one request; an unanswered one keeps its permit that much longer. */
  timeoutMs: number;
}

/** Who asks for a permit: people may use all permits; jobs, polls and evidence keep a tenth free for them. */
export type Priority = 'interactive' | 'background';
