import type { Cipher } from './encryption.ts';
import type { Ledger } from './ledger.ts';
import type { RecordError } from './namespace.ts';
import type { Records } from './records.ts';

/** An open store, whichever engine keeps it: ledger and records. */
export interface Store {
  ledger: Ledger;
  records: Records;
  cipher: Cipher;
  /**
   * `listener` is called whenever the store is in reach again after it was out of reach, and may have other data: before
   * any step goes over the new connection. Never by the embedded engine.
   */
  onReconnect(listener: () => void): void;
  close(): void;
}

/** Where the store's files are, what opens its secrets, and who is told of damaged records. */
export interface RecordsOptions {
  dataDir: string;
  encryptionKeys: Buffer[];
  onDamaged(error: RecordError): void;
}
