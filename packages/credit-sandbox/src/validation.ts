import type { FieldErrors } from './replies.ts';
import type { Message } from './schema.ts';
import type { Switches } from './switches.ts';

/**
 * The validation errors of one message, by field; empty if there are none ("POST /messages/send", "Phone format").
 * @param maxCharacters longest text, in code points
 */
export function fieldErrorsOf(message: unknown, maxCharacters: number, switches: Switches): FieldErrors {
  const fields = message !== null && typeof message === 'object' ? (message as Partial<Message>) : {};
  const phone = errorOf('phone', fields.phone, (given) => phoneError(given, switches));
  const text = errorOf('message', fields.message, (given) =>
    [...given].length > maxCharacters ? `The message may have at most ${maxCharacters} characters.` : null,
  );
  return { ...(phone && { phone: [phone] }), ...(text && { message: [text] }) };
}

function errorOf(name: string, value: unknown, check: (text: string) => string | null): string | null {
  if (value === undefined || value === null || value === '') return `The ${name} field is required.`;
  return typeof value === 'string' ? check(value) : `The ${name} field must be a string.`;
}

function phoneError(phone: string, { leadingPlus, leadingZero, refusedPhones }: Switches): string | null {
  const digits = phone.replace(/^\+/, '');
  if (phone !== digits && leadingPlus === 'refused') return 'The phone must not begin with +.';
  if (digits.startsWith('0') && leadingZero === 'refused') return 'The phone must not begin with 0.';
  if (!/^[0-9]{7,15}$/.test(digits)) return 'The phone must be 7 to 15 digits with the country code.';
  if (refusedPhones.some((refused) => refused.replace(/^\+/, '') === digits))
    return 'The phone is not valid.';
  return null;
}
