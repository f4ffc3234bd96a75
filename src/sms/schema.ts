import { z } from 'zod';

/**
 * Requests and answers of the messaging credit service, as its interface document describes them. The provider hands
 * that document out with the API keys. We cite its titles in brackets, such as ("Error object"). The schemas list only
 * the fields that we need and ignore others, so new fields do not break us.
 */

/** Most messages that one bulk request may carry ("Limits"). */
export const MOST_BULK_MESSAGES = 100;

/** Longest text of a message, in characters (code points) ("Limits"). */
export const MESSAGE_MAX = 1000;

/** One text to one number: `phone` is digits with the country code, without + or a leading 0 ("Phone format"). */
export type Message = { phone: string; message: string };

const credits = z.number().int();
/** Never negative: a negative charge would make room in budgets, and distort prices. */
const charge = credits.nonnegative();
/** A very large id loses its last digits in JSON: no reason to refuse an answer. */
const id = z.number();

/** Data of GET /user/balance; `credits` is the account's balance, `user_id` identifies the account. */
export const Balance = z.object({ credits, user_id: id, user_name: z.string() });
export type Balance = z.infer<typeof Balance>;

/** What we need of the data of POST /messages/send. `status` is "sent" if the send succeeded; other values are not documented. */
export const SendResult = z.object({
  message_id: id,
  status: z.string(),
  credits_used: charge,
  credits_remaining: credits,
});
export type SendResult = z.infer<typeof SendResult>;

/** Data of POST /messages/send-bulk; `messages` has the order of the request. */
export const BulkResult = z.object({
  messages_sent: z.number().int(),
  credits_used: charge,
  credits_remaining: credits,
  messages: z.array(z.object({ message_id: id, phone: z.string(), status: z.string() })),
});
export type BulkResult = z.infer<typeof BulkResult>;

/** The envelope of a success. */
export const Success = z.object({ success: z.literal(true), data: z.unknown() });

/**
 * The envelope of a failure ("Error object"). Both credit figures come with INSUFFICIENT_CREDITS only. A figure that is no
 * integer is ignored, since the refusal is clear without it.
 */
export const Failure = z.object({
  success: z.literal(false),
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    required_credits: credits.optional().catch(undefined),
    available_credits: credits.optional().catch(undefined),
  }),
});
export type Failure = z.infer<typeof Failure>;
