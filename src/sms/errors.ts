export type InputErrorCode =
  | 'key_empty'
  | 'key_invalid'
  | 'phone_invalid'
  | 'text_empty'
  | 'text_too_long'
  | 'messages_count';

/**
 * Input that the service's rules forbid, refused before anything is sent. `code` is for programs, the message is one
 * sentence for people. Holds no key, text or number.
 */
export class SmsInputError extends Error {
  override readonly name = 'SmsInputError';
  readonly code: InputErrorCode;

  constructor(code: InputErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
