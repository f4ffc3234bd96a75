import { setTimeout } from 'node:timers/promises';
import type { View } from '@slack/types';
import { apology } from '../answers/apology.ts';
import { isViewChanged, isViewGone, ModalError, slackWaitOf } from '../connection/slack-error.ts';
import type { MakeView } from '../requests/slack-request.ts';
import { loadingView, noticeView } from '../ui/views.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import { showView } from './show-view.ts';

/** How long a view may take before a loading view opens first, in ms: a trigger lives for 3 s. */
const LOADING_AFTER_MS = 500;

/**
 * Opens a modal within half a second, since the trigger expires. If the view is not ready by then, a loading view opens
 * first, and the view replaces it later. Shows words (mrkdwn) in place of a view as a notice, and an error, too.
 * @throws ModalError when Slack opens none
 */
export async function openModal(
  deps: SlackDeps,
  triggerId: string,
  title: string,
  make: MakeView,
): Promise<void> {
  const made = Promise.resolve()
    .then(make)
    .catch((error: unknown) => apology(deps, error).text)
    .then((view) => (typeof view === 'string' ? noticeView(title, view) : view));
  const first = await Promise.race([made, setTimeout(LOADING_AFTER_MS)]);
  const opened = await showView(first ?? loadingView(title), (view) =>
    deps.web.views.open({ trigger_id: triggerId, view }),
  ).catch((cause: unknown) => {
    throw new ModalError('Slack opened no modal.', { cause });
  });
  const { id, hash } = opened.view ?? {};
  if (first || !id) return;
  try {
    await replaceView(deps, { id, hash }, await made);
  } catch (error) {
    // The person closed it, and wants no more of it.
    if (!isViewGone(error)) throw error;
  }
}

const TRIES = 3;
const RETRY_MS = 1000;
/** Nobody looks at a waiting view for longer than this. */
const LONGEST_WAIT_MS = 30_000;

/**
 * Puts a view in a waiting one's place. Tries again, or the waiting view would stay. If an answer was lost, Slack may show
 * the view, and the person may have submitted it by now. So later tries replace only the waiting view, by its `hash`, if we
 * know that. @throws the last error
 */
export async function replaceView(
  { web }: Pick<SlackDeps, 'web'>,
  { id, hash }: { id: string; hash: string | undefined },
  view: View,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await showView(view, (shown) =>
        web.views.update({ view_id: id, view: shown, ...(tries > 1 && hash && { hash }) }),
      );
      return;
    } catch (error) {
      // The try before has replaced the waiting view, though its answer was lost.
      if (tries > 1 && isViewChanged(error)) return;
      if (tries === TRIES || isViewGone(error)) throw error;
      await setTimeout(Math.min(slackWaitOf(error) ?? RETRY_MS, LONGEST_WAIT_MS));
    }
  }
}
