/**
 * A step that Redis did not answer as it should. `late`: not in time; it may have happened, or never will. `emptied`:
 * Redis is not the store that this bot began with, so nothing is done. `refused`: Redis answered with an error.
 */
export class RedisStepError extends Error {
  override readonly name = 'RedisStepError';
  readonly code: 'late' | 'emptied' | 'refused';

  constructor(code: RedisStepError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The store was emptied, or is another one: said by every step until an operator has looked at it. */
export function emptied(): RedisStepError {
  return new RedisStepError(
    'emptied',
    'The store was emptied: nothing is sent until somebody has run npm run admin -- reset-store and started the bot anew.',
  );
}
