import { z } from 'zod';

/** The answers of the interface document, field by field ("Resources and their fields"): a second copy, for the tests. */

const whole = z.number().int();

export const Balance = z.object({ credits: whole, user_id: whole, user_name: z.string() });

export const SendResult = z.object({
  message_id: whole,
  status: z.string(),
  credits_used: whole,
  credits_remaining: whole,
  sent_at: z.iso.datetime(),
});

export const BulkResult = z.object({
  messages_sent: whole,
  credits_used: whole,
  credits_remaining: whole,
  messages: z.array(z.object({ message_id: whole, phone: z.string(), status: z.string() })),
});

export function successOf<T extends z.ZodType>(data: T) {
  return z.object({ success: z.literal(true), data });
}

/** The envelope of a failure ("Error object"); details of a VALIDATION_ERROR are not documented. */
export const Failure = z.object({
  success: z.literal(false),
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    required_credits: whole.optional(),
    available_credits: whole.optional(),
  }),
});
