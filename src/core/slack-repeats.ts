import type { Once } from '../ledger/model/once.ts';

/** How long the bot remembers a request from Slack, in ms: Slack delivers some more than once. */
const REPEAT_TTL_MS = 600_000;

/** The ledger's mark for this request. */
export function onceFor(request: string): Once {
  return { key: request, ttlMs: REPEAT_TTL_MS };
}
