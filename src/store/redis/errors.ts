import { StoreTroubleError } from '../store-error.ts';
import { lineageOf } from './lineage.ts';

/** A step that Redis did not answer as it should. */
export class RedisStepError extends StoreTroubleError {
  override readonly name = 'RedisStepError';
}

/** Redis begins its own refusals with a word in capitals. */
const REPLY = /^([A-Z]+) /;

/** The word with which Redis itself has refused a step, such as OOM. A lost connection refuses nothing. */
export function refusalOf(error: unknown): string | undefined {
  const isStep = error instanceof RedisStepError && error.cause instanceof Error;
  return isStep ? REPLY.exec((error.cause as Error).message)?.[1] : undefined;
}

/** The error of every step if the store's epoch is missing, or is not this bot's own. */
export function otherEpochError(mine: string, found: unknown): RedisStepError {
  if (typeof found === 'string' && lineageOf(found) === lineageOf(mine)) {
    return new RedisStepError(
      'upgraded',
      'The store was upgraded by a newer version of Switchboard, so this bot does nothing any more: start that version.',
    );
  }
  return new RedisStepError(
    'emptied',
    'The store was emptied: nothing is sent until somebody runs npm run admin -- reset-store and starts every bot again.',
  );
}
