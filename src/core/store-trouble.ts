import { StoreTroubleError } from '../store/store-error.ts';

/** Why the store failed: it is `away` for now, or was `emptied` or `replaced`. Undefined for an error of anything else. */
export function storeTroubleOf(error: unknown): 'away' | 'emptied' | 'replaced' | undefined {
  if (!(error instanceof StoreTroubleError)) return undefined;
  return error.code === 'emptied' || error.code === 'replaced' ? error.code : 'away';
}
