import { z } from 'zod';

/**
 * What clients and the service send each other, as the interface document describes it. In comments, ("Limits") names
 * that part of the document.
 */

/** How many messages a bulk request may have ("Limits"). */
export const MAX_BULK_MESSAGES = 100;

/** Longest text of a message, in characters (code points) ("Limits"). */
export const MAX_MESSAGE_CHARACTERS = 1000;

/** A text message to one number ("POST /messages/send"). */
export interface Message {
  phone: string;
  message: string;
}

/** Data of GET /user/balance. */
export const Balance = z.object({ credits: z.number().int(), user_id: z.number(), user_name: z.string() });
export type Balance = z.infer<typeof Balance>;
