/** Something that should not happen, for the log; `reference` is what the person was told to quote. */
export class CoreError extends Error {
  override readonly name: string = 'CoreError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
