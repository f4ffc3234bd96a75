import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerLimits } from '../ledger/types.ts';
import type { Cipher } from '../records/encryption.ts';
import type { RecordError } from '../records/namespace.ts';
import type { Records } from '../records/records.ts';

/** An open store, whichever engine keeps it: ledger and records. */
export interface OpenStore {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  /**
   * `listener` is called whenever the store is in reach again after it was out of reach, and may have other data: before
   * any step goes over the new connection. Never by the embedded engine.
   */
  onReconnect(listener: () => void): void;
  scrub: Scrub;
  close(): void;
}

/** Takes what was deleted out of the store's files, too. */
export interface Scrub {
  /** How long to leave it alone after it ran, in ms: it may rewrite all there is. */
  everyMs: number;
  /** Whether it is done, or under way; else it is to be tried again. */
  run(): Promise<boolean>;
}

/** `dataDir` has the store's files, `encryptionKeys` open its secrets; `onDamaged` is called for each damaged record. */
export interface DataOptions {
  dataDir: string;
  encryptionKeys: Buffer[];
  limits: LedgerLimits;
  onDamaged(error: RecordError): void;
  /** Called where the store refuses to take what was deleted out of its files. */
  onScrubRefused?(error: unknown): void;
}
