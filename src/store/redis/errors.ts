import { StoreTroubleError } from '../store-error.ts';

/** A step that Redis did not answer as it should. */
export class RedisStepError extends StoreTroubleError {
  override readonly name = 'RedisStepError';
}

/** The store was emptied, or is another one: said by every step until an operator has looked at it. */
export function emptied(): RedisStepError {
  return new RedisStepError(
    'emptied',
    'The store was emptied: nothing is sent until somebody has run npm run admin -- reset-store and started the bot anew.',
  );
}
