import { setImmediate } from 'node:timers/promises';
import type { SlackDeps } from './deps.ts';

/**
 * Whether this request of Slack's comes for the first time: what Slack delivers again is the same wish. Requests that
 * wait at the door are acknowledged first, since the store's writes, of which this mostly is the first, hold them up.
 */
export async function isFirstTime({ core }: Pick<SlackDeps, 'core'>, request: string): Promise<boolean> {
  await setImmediate();
  return core.firstTime(request);
}
