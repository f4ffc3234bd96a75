import type { Collection } from '../../store/collection.ts';
import type { ChunkRef } from '../model/chunk-record.ts';

/** The permit of a request on its way. `attempt`: the chunk, if the request carries one. */
export interface HeldPermit {
  token: string;
  until: number;
  attempt?: ChunkRef;
}

/** The permits of one key. Times are ms by the store's clock. */
export interface KeyPermits {
  /** Permits of settled requests: until when each still counts. */
  live: number[];
  /** Permits of requests on their way. A list: an object whose names are used once takes far longer to copy. */
  held: HeldPermit[];
  restsUntil?: number;
}

/** `permitsOfKey` reads them: it knows what to do if they are damaged. */
export const keyPermits: Collection<KeyPermits> = { name: 'permits', indexes: {}, whenDamaged: 'lost' };
