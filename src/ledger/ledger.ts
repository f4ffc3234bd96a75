import type { AccountLedger } from './accounts/account-ledger.ts';
import type { HistoryEntry, HistoryQuery } from './history/history-types.ts';
import type { HomeLedger } from './homes/home-ledger.ts';
import type { LookUpLedger } from './look-up/look-up-ledger.ts';
import type { Priority, SendRecord } from './model/types.ts';
import type { OptOutLedger } from './opt-outs/opt-out-ledger.ts';
import type { OutboxLedger } from './outbox/outbox-ledger.ts';
import type { Backlog, PendingWork } from './pending-work.ts';
import type { PermitLedger } from './permits/permit-ledger.ts';
import type { RetentionLedger } from './retention/retention-ledger.ts';
import type { RuleLedger } from './rules/rule-ledger.ts';
import type { AttemptLedger } from './sends/attempt-ledger.ts';
import type { SendLedger } from './sends/send-ledger.ts';
import type { UnknownLedger } from './unknowns/unknown-ledger.ts';

/**
 * The ledger: what may be sent, what is being sent, what became of it. Each part has a folder, with its methods in a file
 * `…-ledger.ts`. `create-ledger.ts` joins them over any store, and one contract suite (`test/ledger/ledger.contract.ts`)
 * tests them on each engine.
 *
 * All times are milliseconds since 1970 by the store's own clock. Every method is one atomic step, durable when it
 * resolves. A method that throws may or may not have happened; `take`, `settle` and whatever else ends an attempt can
 * be asked for again with the same token.
 */
export interface Ledger
  extends SendLedger,
    AttemptLedger,
    RuleLedger,
    UnknownLedger,
    PermitLedger,
    AccountLedger,
    OutboxLedger,
    HomeLedger,
    LookUpLedger,
    OptOutLedger,
    RetentionLedger {
  /** The store's clock. */
  now(): number;
  /** Sends that somebody decided to send, newest first. Reads as many sends as it returns, and no texts of jobs. */
  history(query: HistoryQuery): Promise<HistoryEntry[]>;
  /** Sends of an instance that are running or paused, or have something in flight. */
  openSends(instance: string): Promise<SendRecord[]>;
  /** Instances that have something to take. */
  instancesWithWork(priority: Priority): Promise<{ team: string; instance: string }[]>;
  /** Work that somebody should do now; one look at the store. */
  pendingWork(): Promise<PendingWork>;
  /** True for the first caller of a key within its time to live: the others are repeats. */
  firstTime(key: string, ttlMs: number): Promise<boolean>;
  /** Only reads. */
  backlog(): Promise<Backlog>;
}
