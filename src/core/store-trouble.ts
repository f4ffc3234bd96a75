import { StoreTroubleError } from '../store/store-error.ts';

/** Whether it is the store's error: `away` for now, or `emptied`, so nobody knows which texts were being sent. */
export function storeTroubleOf(error: unknown): 'away' | 'emptied' | undefined {
  if (!(error instanceof StoreTroubleError)) return undefined;
  return error.code === 'emptied' ? 'emptied' : 'away';
}
