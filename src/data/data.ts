import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerLimits } from '../ledger/model/ledger-limits.ts';
import type { Cipher } from '../records/encryption.ts';
import type { Records } from '../records/records.ts';
import type { StoreError } from '../store/store-error.ts';

/** An open store, whichever engine keeps it: ledger and records. */
export interface OpenStore {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  /**
   * Calls `listener` after each reconnect, before any step uses the new connection: the store may have other data now.
   * The embedded engine never calls it.
   */
  onReconnect(listener: () => void): void;
  scrub: Scrub;
  close(): void;
}

/** Removes deleted data from the store's files as well. */
export interface Scrub {
  /** The least time between two runs, in ms: a run may rewrite the whole store. */
  everyMs: number;
  /** True once it is done or under way; false if the caller has to try again. */
  run(): Promise<boolean>;
}

/** `dataDir` has the store's files, `encryptionKeys` open its secrets; `onDamaged` is called for each damaged record or document. */
export interface DataOptions {
  dataDir: string;
  encryptionKeys: Buffer[];
  limits: LedgerLimits;
  onDamaged(error: Error): void;
  /** Called when the store refuses to scrub. */
  onScrubRefused?(error: unknown): void;
  /** Called after a reconnect if the store may now lose data: another server may have replaced the one from the start. */
  onVolatile?(error: StoreError): void;
}
