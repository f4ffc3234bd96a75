import type { View } from '@slack/types';
import { INVALID_BLOCKS, slackErrorOf } from '../connection/slack-error.ts';
import { withoutPeople } from '../ui/views.ts';

/** Slack's words if it does not take what a view holds: docs.slack.dev/reference/methods/views.open. */
const REFUSES_CONTENTS = new Set(['invalid_arguments', INVALID_BLOCKS]);

/**
 * Shows a view by `show`. Its menus may only begin with valid people
 * (docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element), and somebody may have left. So if Slack
 * refuses what the view holds, shows it without people. @throws the last error of `show`
 */
export async function showView<Shown>(view: View, show: (view: View) => Promise<Shown>): Promise<Shown> {
  try {
    return await show(view);
  } catch (error) {
    const plainer = REFUSES_CONTENTS.has(slackErrorOf(error) ?? '') && withoutPeople(view);
    if (!plainer) throw error;
    return show(plainer);
  }
}
