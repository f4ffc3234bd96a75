/** The base of all errors of the messaging client: `code` is for programs, the message is one sentence for people. */
class SmsError<Code extends string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

export type InputErrorCode =
  | 'key_empty'
  | 'key_invalid'
  | 'phone_invalid'
  | 'text_empty'
  | 'text_too_long'
  | 'messages_count';

/** Input that the service's rules forbid, refused before anything is sent. Holds no key, text or number. */
export class SmsInputError extends SmsError<InputErrorCode> {}

/** A base URL that cannot be used. The message says how to mend it and does not repeat the URL. */
export class BaseUrlError extends SmsError<
  'url_unreadable' | 'url_not_https' | 'url_credentials' | 'url_query' | 'url_path'
> {}
