import { setTimeout } from 'node:timers/promises';
import type { View } from '@slack/types';
import { apologyView } from '../answers/apology.ts';
import { isViewGone, ModalError, slackWaitOf } from '../connection/slack-error.ts';
import { loadingView, noticeView } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** A trigger lives for 3 s: a view that takes longer than this to make opens as a loading view first. */
const LOADING_AFTER_MS = 500;

/**
 * Opens a modal within half a second, since the trigger expires. If the view is not ready by then, a loading view opens
 * first, and the view replaces it later. Words (mrkdwn) in place of a view are shown as a notice, and so is an error.
 * @throws ModalError when Slack opens none
 */
export async function openModal(
  deps: SlackDeps,
  triggerId: string,
  title: string,
  make: () => View | string | Promise<View | string>,
): Promise<void> {
  const { web } = deps;
  const made = Promise.resolve()
    .then(make)
    .then((view) => (typeof view === 'string' ? noticeView(title, view) : view))
    .catch((error: unknown) => apologyView(deps, error, title));
  const first = await Promise.race([made, setTimeout(LOADING_AFTER_MS)]);
  const opened = await web.views
    .open({ trigger_id: triggerId, view: first ?? loadingView(title) })
    .catch((cause: unknown) => {
      throw new ModalError('Slack opened no modal.', { cause });
    });
  if (first || !opened.view?.id) return;
  try {
    await replaceView(deps, opened.view.id, await made);
  } catch (error) {
    // The person closed it, and wants no more of it.
    if (!isViewGone(error)) throw error;
  }
}

const TRIES = 3;
const RETRY_MS = 1000;
/** Nobody looks at a waiting view for longer than this. */
const LONGEST_WAIT_MS = 30_000;

/** Puts a view in an open one's place. It tries again, or the waiting view would stay. @throws the last error */
export async function replaceView({ web }: SlackDeps, viewId: string, view: View): Promise<void> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      await web.views.update({ view_id: viewId, view });
      return;
    } catch (error) {
      if (left === 0 || isViewGone(error)) throw error;
      await setTimeout(Math.min(slackWaitOf(error) ?? RETRY_MS, LONGEST_WAIT_MS));
    }
  }
}
