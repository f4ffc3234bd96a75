import type { Delivery } from '../../core/post-or-retry.ts';
import { provesRefusal, slackErrorOf, slackWaitOf } from '../connection/slack-error.ts';
import { UploadError } from '../files/upload-file.ts';

/** Refusals that waiting does not mend: the channel or the person is gone, the bot was put out, or may not write there. */
const HOPELESS = new Set([
  'not_in_channel',
  'channel_not_found',
  'is_archived',
  // A message in an archived channel can't be changed.
  'is_inactive',
  'user_not_found',
  'users_not_found',
  'user_not_visible',
  'invalid_user_combination',
  'user_disabled',
  'cannot_dm_bot',
  'restricted_action',
  'restricted_action_read_only_channel',
  'restricted_action_thread_only_channel',
]);

/** The word of a refusal that waiting does not mend; undefined for every other error. */
export function hopelessWordOf(error: unknown): string | undefined {
  const word = slackErrorOf(error);
  return word !== undefined && HOPELESS.has(word) ? word : undefined;
}

/** What a failed Slack call proves. @throws whatever did not come from Slack */
export function afterError(error: unknown): Delivery {
  const hopeless = hopelessWordOf(error);
  if (hopeless !== undefined) return { kind: 'dropped', why: hopeless };
  const waitMs = error instanceof UploadError ? error.waitMs : slackWaitOf(error);
  if (waitMs !== undefined) return { kind: 'refused', waitMs };
  if (error instanceof UploadError) return { kind: 'refused' };
  if (provesRefusal(error)) return { kind: 'refused', why: slackErrorOf(error) };
  throw error;
}
