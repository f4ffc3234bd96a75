import type { Collection } from '../../store/collection.ts';
import type { ChunkRef } from '../model/types.ts';

/** The permits of one key. Times are ms by the store's clock. */
export interface KeyPermits {
  /** Of requests that were settled: until when each still counts. */
  live: number[];
  /** Of requests on their way, by token. `attempt`: what it is a request for, if that is a chunk. */
  held: { [token: string]: { until: number; attempt?: ChunkRef } };
  restsUntil?: number;
}

export const keyPermits: Collection<KeyPermits> = { name: 'permits', indexes: {} };
