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
   * Whether Redis is another server than at the last call, or the start: it may have forgotten the last writes. Also looks at
   * its replicas.
   */
  isOtherServer(): Promise<boolean>;
  /**
   * How long ago a bot first found this Redis server, in ms, measured when the store was opened. The server before may
   * have had newer writes. Infinity for the embedded store.
   */
  sameServerForMs: number;
  /** Whether the data are an older copy of those that a bot of this folder has used. */
  isOldCopy: boolean;
  /**
   * If the data have changed: lets a later start recognise a copy of before as an older one. Call it only once an old
   * copy's work is held back.
   */
  renewMark(): Promise<void>;
  scrub: Scrub;
  close(): void;
}

/** Removes deleted data from the store's files as well. */
export interface Scrub {
  /** Wait at least this long between runs, in ms: a run may rewrite the whole store. */
  everyMs: number;
  /** Resolves to false if the caller has to try again later. If `signal` aborts, waits for nothing more. */
  run(signal?: AbortSignal): Promise<boolean>;
}

/**
 * `dataDir`: the folder of the embedded store's files. With Redis, it only holds which store was used last, and a mark.
 * `encryptionKeys` decrypt the store's secrets.
 */
export interface DataOptions {
  dataDir: string;
  encryptionKeys: Buffer[];
  limits: LedgerLimits;
  /** Called when a read skips a damaged record or document. */
  onDamaged(error: Error): void;
  /** Called once, if Redis refuses to rewrite its file, or fails to. */
  onScrubRefused?(error: unknown): void;
  /**
   * Called after a reconnect if Redis may lose data, for example because another server took over; then and at the start
   * if it has more replicas than must confirm a write.
   */
  onVolatile?(error: StoreError): void;
}
