import { z } from 'zod';
import { DEARER } from '../../ledger/model/breaker.ts';
import { type KeyTrouble, storedTrouble } from '../accounts/key-trouble.ts';

/** Why a job is paused. `by`: the person who pressed Pause. */
export const PauseReason = z.discriminatedUnion('why', [
  z.object({ why: z.literal('person'), by: z.string() }),
  /** `otherAccount`: the service takes the key, but the key belongs to another account by now. */
  z.object({ why: z.literal('key_refused'), otherAccount: z.literal(true).optional() }),
  /**
   * The balance does not cover the next request, or the service said so about a request of one message. `asOf`: when
   * `available` was last known (ms since 1970), if the service did not answer since.
   */
  z.object({
    why: z.literal('credits'),
    required: z.number().optional(),
    available: z.number().optional(),
    asOf: z.number().optional(),
  }),
  /** The service refuses with a code of its own. */
  z.object({ why: z.literal('refused'), code: z.string(), message: z.string() }),
  /** The first three chunks were all refused as invalid. */
  z.object({ why: z.literal('all_invalid'), message: z.string() }),
  /** Two unknown answers in a row. */
  z.object({ why: z.literal('unknown_answers') }),
  /** A request of several messages was refused, and some may have been sent. `messages`: how many it held. */
  z.object({
    why: z.literal('list_refused'),
    reason: z.enum(['validation', 'credits', 'other']),
    messages: z.number(),
    message: z.string(),
    required: z.number().optional(),
    available: z.number().optional(),
  }),
  /** No bot worked on the job since then, ms since 1970. Absent if somebody set a clock, so that nobody can tell. */
  z.object({ why: z.literal('away'), since: z.number().optional() }),
  /** Credits are missing from the books; `missing` in the details says how many. */
  z.object({ why: z.literal('books') }),
  /** Somebody replaced the instance's key by one of another account. `account` would pay now; `now` is its name. */
  z.object({ why: z.literal('other_account'), account: z.string(), now: z.string() }),
  /** The job costs more than estimated, and the rest does not fit into the channel's month or the sender's day. */
  z.object({ why: z.literal('over_budget'), period: z.enum(['month', 'day']) }),
  /** The job costs more than a second person approved, or more than it may without approval. */
  z.object({ why: z.literal('above_approved') }),
  /** After a restore or a failover, the store may lack requests. */
  z.object({ why: z.literal('restored') }),
]);
export type PauseReason = z.infer<typeof PauseReason>;

export function keyPause(trouble: KeyTrouble): PauseReason {
  return { why: 'key_refused', ...storedTrouble(trouble) };
}

/** The reason as a text, which the ledger keeps but never reads. */
export function writePauseReason(reason: PauseReason): string {
  return JSON.stringify(reason);
}

/** Reads a reason from the ledger. If the ledger itself paused the job, the reason is in the ledger's own words. */
export function readPauseReason(text: string): PauseReason {
  if (text === DEARER.month) return { why: 'over_budget', period: 'month' };
  if (text === DEARER.day) return { why: 'over_budget', period: 'day' };
  if (text === DEARER.approval) return { why: 'above_approved' };
  return text.startsWith('{') ? PauseReason.parse(JSON.parse(text)) : { why: 'unknown_answers' };
}
