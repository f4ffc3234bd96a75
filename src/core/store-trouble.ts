import { StoreTroubleError } from '../store/store-error.ts';

/**
 * Whether an error is the store's. `away`: it can't be used for now. `emptied`: nobody knows which texts were being
 * sent.
 */
export function storeTroubleOf(error: unknown): 'away' | 'emptied' | undefined {
  if (!(error instanceof StoreTroubleError)) return undefined;
  return error.code === 'emptied' ? 'emptied' : 'away';
}
