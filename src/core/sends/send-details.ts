import { z } from 'zod';
import { Estimate } from './estimate.ts';

/** The last balance that is known, and since when (ms since 1970). */
export const LastBalance = z.object({ credits: z.number(), at: z.number() });
export type LastBalance = z.infer<typeof LastBalance>;

/** What the ledger keeps of a text as of a list without reading it, from preview to receipt. */
export const CommonDetails = z.object({
  by: z.string(),
  /** Who pays, as the preview showed it. */
  accountId: z.string(),
  estimate: Estimate,
  /** The wall clock at the decision, ms since 1970: it goes on while the machine sleeps, unlike the store's clock. */
  confirmedAt: z.number().optional(),
  /** An operator put a copy of the data back while the text waited, or while the list was paused. */
  restored: z.boolean().optional(),
  /** How to reach the person who asked; only `src/slack` reads it. */
  reply: z.json().optional(),
});

/** The same of a single text. */
export const SendDetails = CommonDetails.extend({
  /** Empty once a draft that nobody sent is forgotten. */
  e164: z.string().default(''),
  /** What was typed, until it is sent: an expired draft has no messages any more. */
  text: z.string().optional(),
  country: z.string().optional(),
  /** What was read into the number, to be said in the preview. */
  added: z.boolean().optional(),
  noKnownRange: z.boolean().optional(),
  /** Credits as the preview showed them. */
  balance: z.number().optional(),
  /** In its place, where the service could not be asked. */
  lastBalance: LastBalance.optional(),
  /** Whether a line in the channel is due when it was sent. */
  receiptLine: z.boolean(),
});
export type SendDetails = z.infer<typeof SendDetails>;
