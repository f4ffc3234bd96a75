import { z } from 'zod';
import { Estimate } from './estimate.ts';

/** The last balance that is known, and since when (ms since 1970). */
export const LastBalance = z.object({ credits: z.number(), at: z.number() });
export type LastBalance = z.infer<typeof LastBalance>;

/** What the ledger keeps, but never reads, of a text and of a list alike. */
export const CommonDetails = z.object({
  by: z.string(),
  /** Who pays, as the preview showed it. */
  accountId: z.string(),
  estimate: Estimate,
  /** How to reach the person who asked; only `src/slack` reads it. */
  reply: z.json().optional(),
});

/** The details of a single text. */
export const SendDetails = CommonDetails.extend({
  /** Empty once a draft that nobody sent is forgotten. */
  e164: z.string().default(''),
  /** What was typed, until it is sent: an expired draft has no messages any more. */
  text: z.string().optional(),
  country: z.string().optional(),
  /** What the preview says of the number: we added its plus; it is in no known range. */
  added: z.boolean().optional(),
  noKnownRange: z.boolean().optional(),
  /** Credits as the preview showed them. */
  balance: z.number().optional(),
  /** In its place, if we could not ask the service. */
  lastBalance: LastBalance.optional(),
  /** Whether the channel gets a line once the text is sent. */
  receiptLine: z.boolean(),
});
export type SendDetails = z.infer<typeof SendDetails>;
