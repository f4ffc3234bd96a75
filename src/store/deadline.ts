import { StoreTroubleError } from './store-error.ts';

/**
 * Refuses a step that its caller has given up.
 * @param until ms of `performance.now()`
 * @throws StoreTroubleError `late` from then on
 */
export function throwIfPast(until: number | undefined): void {
  if (until === undefined || performance.now() < until) return;
  throw new StoreTroubleError('late', 'The step reached the store too late.');
}
