import { z } from 'zod';

/**
 * Why a message ended as it did: picks the sentence people see. The outcomes themselves are `ChunkState`. The version
 * before can't read a new one, so it needs a new format.
 */
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
  /** Refused as part of a group. The chunk had no requests left to find out which messages the service refuses. */
  'group_refused',
  /** The service refused its bulk request, but may have sent some of it all the same. */
  'list_refused',
  /** The answer does not name this message. */
  'not_listed',
  'opted_out',
  /** An account other than the confirmed one would have paid, so the bot sent nothing. */
  'other_account',
  /** The number already has this text, from another send or from the unknown text that this resends: nothing was sent. */
  'repeated',
]);

/** How a chunk ended. The ledger stores this, but never reads it. The service's words are in `message`. */
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
  /** The service's status, if it is not "sent". */
  otherStatus: z.string().optional(),
  creditsUsed: z.number().optional(),
  creditsRemaining: z.number().optional(),
});
export type ChunkResult = z.infer<typeof ChunkResult>;

/** What the balance says about unknown messages; credits before (by baseline and receipts) and after. */
export const Evidence = z.object({
  verdict: z.enum(['probably_not_sent', 'probably_sent', 'undecided', 'topped_up', 'none']),
  before: z.number().optional(),
  after: z.number().optional(),
  /** How many unknown messages the figures cover. */
  messages: z.number().optional(),
});
export type Evidence = z.infer<typeof Evidence>;
