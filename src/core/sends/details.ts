import { z } from 'zod';
import { Estimate } from './estimate.ts';

/**
 * What the ledger keeps about single sends and chunks without reading it; what it keeps of a job stands in
 * `job-view.ts`. Core writes it, and whatever is read of it is read by these schemas.
 */

/** Machine word for the cause: picks the sentence people see. */
const Cause = z.enum([
  'accepted',
  'key_refused',
  'credits',
  'validation',
  'refused',
  'rate_limited',
  'unreachable',
  'given_up',
  'no_answer',
  'broken_answer',
  'server_error',
  'interrupted',
  /** Refused as part of a group whose bad ones could not be told apart in so many requests. */
  'group_refused',
  /** Its bulk request was refused, and the service may have sent some of it all the same. */
  'list_refused',
  /** The answer does not name this message. */
  'not_listed',
]);

/** Why a message ended as it did, in the product's own words; the service's words stand in `message`. */
export const ChunkResult = z.object({
  /** Earlier versions wrote `unproven` for a list that was refused. */
  cause: z.preprocess((word) => (word === 'unproven' ? 'list_refused' : word), Cause),
  /** The service's own words, as it may be shown to the requester. Never logged: they may quote the number. */
  message: z.string().optional(),
  code: z.string().optional(),
  requiredCredits: z.number().optional(),
  availableCredits: z.number().optional(),
  messageId: z.number().optional(),
  /** Of several messages, in their order. */
  messageIds: z.array(z.number()).optional(),
  /** The service's status where it is not "sent". */
  otherStatus: z.string().optional(),
  creditsUsed: z.number().optional(),
  creditsRemaining: z.number().optional(),
});
export type ChunkResult = z.infer<typeof ChunkResult>;

/** What the balance says about unknown messages; credits before (by anchor and receipts) and after. */
export const Evidence = z.object({
  verdict: z.enum(['probably_not_sent', 'probably_sent', 'undecided', 'topped_up', 'none']),
  before: z.number().optional(),
  after: z.number().optional(),
  /** How many unknown messages the figures speak of. */
  messages: z.number().optional(),
});
export type Evidence = z.infer<typeof Evidence>;

/** The last balance that is known, and since when (ms since 1970). */
export const LastBalance = z.object({ credits: z.number(), at: z.number() });
export type LastBalance = z.infer<typeof LastBalance>;

/** What is remembered of a single send, from preview to receipt. */
export const SendDetails = z.object({
  by: z.string(),
  /** Empty once a draft that nobody sent is forgotten. */
  e164: z.string().default(''),
  /** What was typed, until it is sent: an expired draft has no messages any more. */
  text: z.string().optional(),
  country: z.string().optional(),
  /** What was read into the number, to be said in the preview. */
  added: z.boolean().optional(),
  noKnownRange: z.boolean().optional(),
  /** Who pays, as the preview showed it. */
  accountId: z.string(),
  /** The wall clock at the decision, ms since 1970: it goes on while the machine sleeps, unlike the store's clock. */
  confirmedAt: z.number().optional(),
  estimate: Estimate,
  /** Credits as the preview showed them. */
  balance: z.number().optional(),
  /** In its place, where the service could not be asked. */
  lastBalance: LastBalance.optional(),
  /** Whether a line in the channel is due when it was sent. */
  receiptLine: z.boolean(),
  /** An operator put a copy of the data back while it waited. */
  restored: z.boolean().optional(),
  /** How to reach the person who asked; the room that talks to people reads it. */
  reply: z.json().optional(),
});
export type SendDetails = z.infer<typeof SendDetails>;
