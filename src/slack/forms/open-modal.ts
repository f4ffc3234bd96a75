import type { View } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { slackErrorOf } from '../connection/slack-error.ts';
import { loadingView } from '../ui/views.ts';

/** Slack opened no modal, so nothing was begun. */
export class ModalError extends Error {
  override readonly name = 'ModalError';
  readonly code = 'modal_not_opened';

  constructor(options?: ErrorOptions) {
    super('Slack opened no modal.', options);
  }
}

/** A trigger lives for 3 s: a view that takes longer than this to make opens as a loading view first. */
const LOADING_AFTER_MS = 500;

/**
 * Opens a modal. The trigger is used within half a second whatever happens behind: a view that is not ready by then
 * replaces a loading view as soon as it is; one that fails closes with an error's sentence, made by `sorry`.
 * @throws ModalError when Slack opens none
 */
export async function openModal(
  web: WebClient,
  triggerId: string,
  title: string,
  making: Promise<View>,
  sorry: (error: unknown) => View,
): Promise<void> {
  const made = making.catch(sorry);
  const first = await Promise.race([
    made,
    new Promise<void>((resolve) => setTimeout(resolve, LOADING_AFTER_MS)),
  ]);
  const opened = await web.views
    .open({ trigger_id: triggerId, view: first ?? loadingView(title) })
    .catch((cause: unknown) => {
      throw new ModalError({ cause });
    });
  if (first || !opened.view?.id) return;
  try {
    await web.views.update({ view_id: opened.view.id, view: await made });
  } catch (error) {
    // Somebody closed it meanwhile, and wants nothing more of it.
    if (slackErrorOf(error) !== 'not_found') throw error;
  }
}
