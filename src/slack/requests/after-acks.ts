import { setImmediate } from 'node:timers/promises';

/** Lets requests that wait at the door be acknowledged first: the store's writes hold them up. */
export function afterAcks(): Promise<void> {
  return setImmediate();
}
