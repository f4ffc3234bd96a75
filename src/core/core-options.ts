import type { Logger } from 'pino';
import type { OpenStore } from '../data/data.ts';
import type { Settlement } from '../ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../ledger/model/chunk-record.ts';
import type { LedgerLimits } from '../ledger/model/ledger-limits.ts';
import type { SmsClient } from '../sms/client.ts';
import type { RefusalMode } from './accounts/list-refusals.ts';
import type { Clock } from './clock.ts';
import type { RetentionLimits } from './history/keep-days.ts';
import type { BulkLimits } from './jobs/job-drafts.ts';

/** What core depends on. Times are in ms. */
export interface CoreOptions extends Omit<OpenStore, 'isOldCopy' | 'close'> {
  fingerprintSecret: Buffer;
  sms: SmsClient;
  /** Where the service is: part of an account's name. */
  baseUrl: string;
  limits: LedgerLimits;
  draftTtlMs: number;
  /** How long a list waits after Send, so that people can undo it. A channel may set its own time. */
  listUndoMs: number;
  bulk: BulkLimits;
  /** How a provider refuses lists, unless an admin has set it. */
  bulkRefusals: RefusalMode;
  balancePollMs: number;
  /** For how long the same words to the same number count as a repeat; 0: never. */
  repeatGuardMs: number;
  retention: RetentionLimits;
  /** User ids that get direct messages about refused keys, and news that the bot can't post in a channel. */
  admins: readonly string[];
  clock: Clock;
  log: Logger;
  /** Called after each answer is in the ledger, with the chunk as it is then. */
  onSettled?(chunk: ChunkRecord, settlement: Settlement): void;
  /** Called for each message to Slack that was given up. */
  onGivenUp?(): void;
}
