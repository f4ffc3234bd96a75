import { setTimeout as sleep } from 'node:timers/promises';
import type { View } from '@slack/types';
import { isViewGone, slackWaitOf } from '../connection/slack-error.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

const TRIES = 3;
const RETRY_MS = 1000;
/** Nobody looks at a view that waits for longer than this. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Puts a view in the place of an open one. If that fails, it tries again: else the person would look at the view that waits,
 * for good. A closed view is tried once. @throws the last error
 */
export async function replaceView(
  { web }: Pick<SlackDeps, 'web'>,
  viewId: string,
  view: View,
): Promise<void> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      await web.views.update({ view_id: viewId, view });
      return;
    } catch (error) {
      if (left === 0 || isViewGone(error)) throw error;
      await sleep(Math.min(slackWaitOf(error) ?? RETRY_MS, LONGEST_WAIT_MS));
    }
  }
}
