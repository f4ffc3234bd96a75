import type { ChunkRecord } from '../../ledger/model/chunk-record.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { ApiKey } from '../../sms/api-key.ts';
import type { Instance } from '../accounts/instances.ts';
import type { Moment } from '../clock.ts';

/** A chunk that the ledger handed over, with all that its request needs. */
export interface Attempt {
  instance: Instance;
  key: ApiKey;
  send: SendRecord;
  chunk: ChunkRecord;
  token: string;
  /** When the ledger was asked for it. */
  issued: Moment;
  /** For a job: how long to wait before another try if the service can't be reached, in ms. */
  retryMs: number;
}
