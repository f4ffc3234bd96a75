import type { Audience, LedgerLimits, RequestFate } from '../ledger.ts';
import { permitMargin, permitsFor } from '../transitions.ts';
import type { Context } from './context.ts';

/**
 * What a permit is asked for with: how many this audience may have live, and how long it lasts at most, in ms. A permit
 * is live until its request was settled and a whole window has passed since ("Limits": window alignment is not shown).
 */
export function permitTerms(limits: LedgerLimits, audience: Audience): { allowed: number; lasts: number } {
  return {
    allowed: permitsFor(audience, limits.permits),
    lasts: Math.ceil(limits.leaseMs + limits.windowMs + permitMargin(limits.windowMs)),
  };
}

/** How long a permit stays live after its request, in ms; nothing for one that never started: it is free at once. */
export function lastsAfter(limits: LedgerLimits, request: RequestFate): number | undefined {
  if (request === 'never_started') return undefined;
  const doubt = request === 'unanswered' ? limits.timeoutMs : 0;
  return Math.ceil(limits.windowMs + permitMargin(limits.windowMs) + doubt);
}

/** A permit without a chunk. */
export async function takePermit(
  { runner, limits }: Context,
  lane: string,
  audience: Audience,
  token: string,
): Promise<{ kind: 'taken' } | { kind: 'wait'; until: number }> {
  const permits = permitTerms(limits, audience);
  const [kind, until] = await runner.run('permit', { lane, token, permits });
  return kind === 'taken' ? { kind } : { kind: 'wait', until: Number(until) };
}

/** Sets a permit's end by what became of its request. */
export async function endPermit(
  { runner, limits }: Context,
  token: string,
  request: RequestFate,
): Promise<void> {
  await runner.run('returnPermit', { token, lasts: lastsAfter(limits, request) });
}
