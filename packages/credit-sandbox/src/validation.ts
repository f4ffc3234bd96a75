import type { FieldErrors } from './replies.ts';
import type { Message } from './schema.ts';
import type { Switches } from './switches.ts';

/**
 * What is wrong with one message, by field; empty where nothing is ("POST /messages/send", "Phone format").
 * @param maxCharacters longest text, in code points
 */
export function fieldErrorsOf(message: unknown, maxCharacters: number, switches: Switches): FieldErrors {
  const fields = message !== null && typeof message === 'object' ? (message as Partial<Message>) : {};
  const errors: FieldErrors = {};
  const phone = phoneError(fields.phone, switches);
  if (phone) errors.phone = [phone];
  const text = textError(fields.message, maxCharacters);
  if (text) errors.message = [text];
  return errors;
}

function phoneError(phone: unknown, { leadingPlus, leadingZero, refusedPhones }: Switches): string | null {
  if (phone === undefined || phone === null || phone === '') return 'The phone field is required.';
  if (typeof phone !== 'string') return 'The phone field must be a string.';
  const digits = phone.replace(/^\+/, '');
  if (phone !== digits && leadingPlus === 'refused') return 'The phone must not begin with +.';
  if (digits.startsWith('0') && leadingZero === 'refused') return 'The phone must not begin with 0.';
  if (!/^[0-9]{7,15}$/.test(digits)) return 'The phone must be 7 to 15 digits with the country code.';
  if (refusedPhones.some((refused) => refused.replace(/^\+/, '') === digits))
    return 'The phone is not valid.';
  return null;
}

function textError(text: unknown, maxCharacters: number): string | null {
  if (text === undefined || text === null || text === '') return 'The message field is required.';
  if (typeof text !== 'string') return 'The message field must be a string.';
  if ([...text].length > maxCharacters) return `The message may have at most ${maxCharacters} characters.`;
  return null;
}
