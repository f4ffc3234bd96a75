import type { Audience, LedgerLimits, RequestFate, Wait } from '../ledger.ts';
import { isTurnedAway, permitMargin, permitsFor } from '../transitions.ts';
import type { Context } from './context.ts';
import type { Reply } from './run.ts';

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

/** How long a key rests after its request, in ms; nothing unless it was turned away. */
export function restAfter(limits: LedgerLimits, request: RequestFate): number | undefined {
  return isTurnedAway(request) ? Math.ceil(request.restMs ?? limits.windowMs) : undefined;
}

/** A script's answer that nothing is to be had now. */
export function waitOf([, until, rests]: Reply[]): Wait {
  return { kind: 'wait', until: Number(until), ...(rests === 'rests' ? { rests: true } : {}) };
}

/** A permit without a chunk. */
export async function takePermit(
  { runner, limits }: Context,
  lane: string,
  audience: Audience,
  token: string,
): Promise<{ kind: 'taken' } | Wait> {
  const permits = permitTerms(limits, audience);
  const reply = await runner.run('permit', { lane, token, permits });
  return reply[0] === 'taken' ? { kind: 'taken' } : waitOf(reply);
}

/** Sets a permit's end by what became of its request, and lays its key to rest where that was turned away. */
export async function endPermit(
  { runner, limits }: Context,
  token: string,
  request: RequestFate,
): Promise<void> {
  const ends = { lasts: lastsAfter(limits, request), rest: restAfter(limits, request) };
  await runner.run('returnPermit', { token, ...ends });
}
