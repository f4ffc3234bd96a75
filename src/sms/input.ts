import { SmsInputError } from './errors.ts';
import { type Message, MOST_BULK_MESSAGES } from './schema.ts';

/**
 * A number in the service's form ("Phone format"): digits with the country code, no + and no leading 0. Drops a leading
 * +. Numbers have 5 to 15 digits: no international number has more.
 * @throws SmsInputError `phone_invalid`
 */
export function toServicePhone(phone: string): string {
  const digits = phone.replace(/^\+/, '');
  if (!/^[1-9][0-9]{4,14}$/.test(digits)) {
    throw new SmsInputError(
      'phone_invalid',
      'A phone number must be 5 to 15 digits that begin with the country code, without a leading 0.',
    );
  }
  return digits;
}

/**
 * A message as it travels: the number in the service's form, the text unchanged. The text has 1 to `limit` characters
 * (code points).
 * @throws SmsInputError `phone_invalid`, `text_empty` or `text_too_long`
 */
export function checkedMessage(message: Message, limit: number): Message {
  const phone = toServicePhone(message.phone);
  const count = [...message.message].length;
  if (count === 0) throw new SmsInputError('text_empty', 'The text is empty.');
  if (count > limit) {
    throw new SmsInputError(
      'text_too_long',
      `The text has ${count} characters; at most ${limit} are allowed.`,
    );
  }
  return { phone, message: message.message };
}

/**
 * The messages of one bulk request, each checked as above.
 * @throws SmsInputError, also with `messages_count` for none or more than 100 ("Limits")
 */
export function checkedBulk(messages: readonly Message[], limit: number): Message[] {
  if (messages.length < 1 || messages.length > MOST_BULK_MESSAGES) {
    throw new SmsInputError(
      'messages_count',
      `One request carries 1 to ${MOST_BULK_MESSAGES} messages; these are ${messages.length}.`,
    );
  }
  return messages.map((message) => checkedMessage(message, limit));
}
