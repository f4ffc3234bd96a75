import { setImmediate } from 'node:timers/promises';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * Whether this request of Slack's comes for the first time: what Slack delivers again is the same wish. Requests that
 * wait at the door are acknowledged first, since the store's writes, of which this mostly is the first, hold them up.
 */
export async function isFirstTime({ core }: Pick<SlackDeps, 'core'>, request: string): Promise<boolean> {
  await setImmediate();
  return core.firstTime(request);
}

/** So many requests a process remembers by itself. */
const MOST = 10_000;

/** The same without the store, for what only costs words: in this process, among the last `MOST`. */
export function createFirstHere(): (request: string) => boolean {
  const seen = new Set<string>();
  return (request) => {
    if (seen.has(request)) return false;
    seen.add(request);
    const [oldest] = seen;
    if (seen.size > MOST && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
