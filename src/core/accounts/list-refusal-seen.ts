import { z } from 'zod';
import type { Outcome } from '../../sms/request-outcome-types.ts';
import type { RefusalMode } from './list-refusals.ts';

/** Whether the text came to the admin's own phone, as the admin says. */
export const ARRIVALS = ['yes', 'no', 'unsure'] as const;
export type Arrived = (typeof ARRIVALS)[number];

/** What a check of refused lists has seen: the answer to its one request, and balances in credits. */
export const Seen = z.object({
  answer: z.enum(['refused', 'accepted', 'key_refused', 'rate_limited', 'not_started', 'no_answer']),
  status: z.number().optional(),
  code: z.string().optional(),
  /** The balance before the request. */
  before: z.number(),
  /** The balance right after it, and again some seconds later; a read that failed is missing. */
  after: z.array(z.number()),
  /** No other text of the account was on its way meanwhile, so only the check can have changed the balances. */
  alone: z.boolean(),
});
export type Seen = z.infer<typeof Seen>;

/** A check: who made it, when (ms since 1970), what was seen, and what the admin said. */
export const Finding = z.object({
  by: z.string(),
  at: z.number(),
  seen: Seen,
  arrived: z.enum(ARRIVALS).optional(),
});
export type Finding = z.infer<typeof Finding>;

/** Codes of another form are not kept: the service might write a phone number there. */
const CODE = /^[A-Z_]{1,40}$/;

/** The answer to the check's request, without the service's words. */
export function answerOf(outcome: Outcome<unknown>): Pick<Seen, 'answer' | 'status' | 'code'> {
  switch (outcome.outcome) {
    case 'accepted':
      return { answer: 'accepted', status: 201 };
    case 'refused': {
      const { status, code, reason } = outcome;
      const answer = reason === 'key' ? 'key_refused' : 'refused';
      return { answer, status, ...(CODE.test(code) ? { code } : {}) };
    }
    case 'rate_limited':
      return { answer: 'rate_limited', status: 429 };
    case 'not_started':
      return { answer: 'not_started' };
    case 'unknown':
      return { answer: 'no_answer', ...(outcome.status === undefined ? {} : { status: outcome.status }) };
  }
}

/** Whether the service may have sent or charged something: not if it asked to wait, or was out of reach. */
export function mayHaveSent({ answer }: Pick<Seen, 'answer'>): boolean {
  return answer !== 'not_started' && answer !== 'rate_limited';
}

/** Credits that the check's request took; undefined if the balances don't show it. */
export function chargeIn({ before, after, alone }: Seen): number | undefined {
  if (!alone) return undefined;
  const taken = before - Math.min(...after, before);
  if (taken > 0) return taken;
  return after.length === 2 && after.every((credits) => credits === before) ? 0 : undefined;
}

/** Whether this answer can prove anything. If so, we ask the admin about the text. */
export function isConclusive({ answer }: Seen): boolean {
  return answer === 'refused';
}

/**
 * The rule that a check proposes; undefined if it could not tell. Only a 422 says that the service looked at the list
 * ("Errors"). Another status can't prove `atomic`.
 */
export function proposalOf(seen: Seen, arrived: Arrived): RefusalMode | undefined {
  if (!isConclusive(seen)) return undefined;
  const charge = chargeIn(seen);
  if (arrived === 'yes' || (charge ?? 0) > 0) return 'unproven';
  return seen.status === 422 && arrived === 'no' && charge === 0 ? 'atomic' : undefined;
}
