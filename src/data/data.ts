import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerLimits } from '../ledger/model/ledger-limits.ts';
import type { Cipher } from '../records/encryption.ts';
import type { Records } from '../records/records.ts';
import type { StoreError } from '../store/store-error.ts';

/** An open store, on any engine: the ledger and the records. */
export interface OpenStore {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  /**
   * Calls `listener` after each reconnect, before any step uses the new connection: the store may have other data now.
   * The embedded store never reconnects.
   */
  onReconnect(listener: () => void): void;
  /**
   * For how long the store has had the server that it had when it was opened, in ms. The server before may have had later
   * data. The embedded store never changes its server.
   */
  sameServerForMs: number;
  scrub: Scrub;
  close(): void;
}

/** Removes deleted data from the store's files as well. */
export interface Scrub {
  /** The least time from one run to the next, in ms: a run may rewrite the whole store. */
  everyMs: number;
  /** Resolves to true if the run is done or under way, to false if the caller has to try again. */
  run(): Promise<boolean>;
}

/** `dataDir` has the store's files, `encryptionKeys` open its secrets. */
export interface DataOptions {
  dataDir: string;
  encryptionKeys: Buffer[];
  limits: LedgerLimits;
  /** Called for each damaged record or document that a read leaves out. */
  onDamaged(error: Error): void;
  /** Called when the store refuses to scrub. */
  onScrubRefused?(error: unknown): void;
  /** Called after a reconnect to a Redis that may lose data: another server may have replaced the first one. */
  onVolatile?(error: StoreError): void;
}
