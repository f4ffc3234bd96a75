import { StoreTroubleError } from '../store/store-error.ts';

/** Whether an error is the store's: `away`, for now; or `emptied`: what was being sent is not known any more. */
export function storeTroubleOf(error: unknown): 'away' | 'emptied' | undefined {
  if (!(error instanceof StoreTroubleError)) return undefined;
  return error.code === 'emptied' ? 'emptied' : 'away';
}
