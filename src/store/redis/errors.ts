import { StoreTroubleError } from '../store-error.ts';
import { lineageOf } from './lineage.ts';

/** Redis begins its own refusals with a word in capitals. */
const REPLY = /^([A-Z]+) /;

/** The word with which Redis itself has refused a step, such as OOM. A lost connection refuses nothing. */
export function refusalOf(error: unknown): string | undefined {
  const { cause } = error instanceof StoreTroubleError ? error : {};
  return cause instanceof Error ? REPLY.exec(cause.message)?.[1] : undefined;
}

/** The error of every step if the store's epoch is missing, or is not this bot's own. */
export function otherEpochError(mine: string, found: unknown): StoreTroubleError {
  if (typeof found === 'string' && lineageOf(found) === lineageOf(mine)) {
    return new StoreTroubleError(
      'upgraded',
      'The store was upgraded by a newer version of Switchboard, so this bot does nothing any more: start that version.',
    );
  }
  return new StoreTroubleError(
    'emptied',
    'The store was emptied: nothing is sent until somebody runs npm run admin -- reset-store and starts every bot again.',
  );
}
