import type { View } from '../../store/view.ts';
import type { PermitRequest, RequestEnd, Wait } from '../model/attempt-types.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { keyPermits, permitsOfKey } from './permit-documents.ts';
import { permitOf, permitWait, withPermit, withRequestEnded } from './rate-limit.ts';

/** Takes a permit without a chunk, unless the token has one. Returns undefined, or until when none is free. */
export function takePermit(view: View, request: PermitRequest, limits: LedgerLimits): Wait | undefined {
  const { rateLimitKey: id, priority, token } = request;
  // The request spends no credits. If a power cut loses its permit, the service's next 429 corrects the count.
  view.allowUnsynced();
  const permits = permitsOfKey(view, id, limits);
  if (permitOf(permits, token)) return undefined;
  const wait = permitWait(permits, priority, limits);
  if (!wait) view.put(keyPermits, id, withPermit(permits, token, { now: view.now, limits }));
  return wait;
}

/** Writes down what became of a request without a chunk. */
export function endPermit(
  view: View,
  { rateLimitKey: id, token }: Pick<PermitRequest, 'rateLimitKey' | 'token'>,
  request: RequestEnd,
  limits: LedgerLimits,
): void {
  view.allowUnsynced();
  const permits = permitsOfKey(view, id, limits);
  view.put(keyPermits, id, withRequestEnded(permits, token, request, { now: view.now, limits }));
}

/** The queue of a key's steps in this process: waiting steps share a commit, so they don't conflict. */
export function queueOfKey(rateLimitKey: string): string {
  return `key ${rateLimitKey}`;
}
