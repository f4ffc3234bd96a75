import { isRateLimited, type RequestEnd, type Wait } from '../model/attempt-types.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits, Priority } from '../model/ledger-limits.ts';
import type { HeldPermit, KeyPermits } from './permit-documents.ts';

/**
 * The rate limit's policy: who may have how many permits of a key, and for how long. A permit stays in use until its
 * request was settled and a whole window has passed since. The service does not say when its window begins ("Limits").
 * So no window, whenever it begins, has more requests than there are permits.
 */

/** The longest wait for a permit or after a 429, in ms: nobody is texted hours later. */
export const LONGEST_WAIT_MS = 600_000;

/**
 * How many permits of a key this priority may have. A tenth is reserved for people, so jobs and polls have 54 of 60. A
 * key with a single permit has no reserve.
 */
export function permitsAllowed(priority: Priority, permits: number): number {
  return priority === 'interactive' || permits === 1 ? permits : permits - Math.ceil(permits / 10);
}

/** How much longer than the window a permit lives, in ms: clocks and timers are not exact. */
export function permitMargin(windowMs: number): number {
  return Math.max(20, windowMs / 1000);
}

/** The permits that are live at `now`. Cuts impossible times to the longest: somebody may have set the clock back. */
export function withoutExpiredPermits(
  permits: KeyPermits | undefined,
  now: number,
  limits: LedgerLimits,
): KeyPermits {
  const { live = [], held = [], restsUntil = 0 } = permits ?? {};
  const longest = longestUntil(now, limits);
  const isRight = (until: number) => until > now && until <= longest;
  // Most often no permit has expired: then copy none of them.
  if (permits && restsUntil === 0 && live.every(isRight) && held.every(({ until }) => isRight(until)))
    return permits;
  const rests = Math.min(restsUntil, now + LONGEST_WAIT_MS);
  return {
    live: live.filter((until) => until > now).map((until) => Math.min(until, longest)),
    held: held
      .filter(({ until }) => until > now)
      .map((permit) => (permit.until > longest ? { ...permit, until: longest } : permit)),
    ...(rests > now && { restsUntil: rests }),
  };
}

/** All permits of a key as taken, until none of an earlier request can be live. */
export function allTaken(now: number, limits: LedgerLimits): KeyPermits {
  return { live: Array<number>(limits.permits).fill(longestUntil(now, limits)), held: [] };
}

export function permitOf({ held }: KeyPermits, token: string): HeldPermit | undefined {
  return held.find((one) => one.token === token);
}

/** Until when no permit is free, and why; undefined if a permit is free now. */
export function permitWait(permits: KeyPermits, priority: Priority, limits: LedgerLimits): Wait | undefined {
  if (permits.restsUntil !== undefined) return { kind: 'wait', until: permits.restsUntil, rests: true };
  const allowed = permitsAllowed(priority, limits.permits);
  if (permits.live.length + permits.held.length < allowed) return undefined;
  const untils = [...permits.live, ...permits.held.map(({ until }) => until)];
  untils.sort((one, other) => one - other);
  return { kind: 'wait', until: untils[untils.length - allowed] as number };
}

/** The permits with one more, for a request that is about to begin. */
export function withPermit(
  permits: KeyPermits,
  token: string,
  { now, limits, attempt }: { now: number; limits: LedgerLimits; attempt?: ChunkRef },
): KeyPermits {
  const until = now + leaseAndWindow(limits);
  return { ...permits, held: [...permits.held, { token, until, ...(attempt ? { attempt } : {}) }] };
}

/**
 * The permits after a request. If the request never started, its permit is free. If it got a 429, the key rests. A
 * permit ends once: a later answer can only make the key rest.
 */
export function withRequestEnded(
  permits: KeyPermits,
  token: string,
  request: RequestEnd,
  { now, limits }: { now: number; limits: LedgerLimits },
): KeyPermits {
  const held = permits.held.filter((one) => one.token !== token);
  const doubt = request === 'unanswered' ? limits.timeoutMs : 0;
  const until = now + limits.windowMs + permitMargin(limits.windowMs) + doubt;
  const isLive = held.length < permits.held.length && request !== 'never_started';
  const after: KeyPermits = { ...permits, held, live: isLive ? [...permits.live, until] : permits.live };
  if (!isRateLimited(request)) return after;
  return {
    ...after,
    restsUntil: Math.max(permits.restsUntil ?? 0, now + (request.restMs ?? limits.windowMs)),
  };
}

/** Until when a permit that is live at `now` may last. */
function longestUntil(now: number, limits: LedgerLimits): number {
  return now + leaseAndWindow(limits) + limits.timeoutMs;
}

function leaseAndWindow({ leaseMs, windowMs }: LedgerLimits): number {
  return leaseMs + windowMs + permitMargin(windowMs);
}
