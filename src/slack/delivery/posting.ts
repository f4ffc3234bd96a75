import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Core, OutboxRow } from '../../core/core.ts';
import type { JobView } from '../../core/jobs/job-view.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import type { SendView } from '../../core/sends/send-view.ts';
import { INVALID_BLOCKS, provesRefusal, slackErrorOf, slackWaitOf } from '../connection/slack-error.ts';
import { UploadError } from '../files/upload-file.ts';
import { asShown, type Message, type ShownMessage } from '../ui/blocks.ts';
import { expiredDraft } from '../ui/expired-draft.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** Where a message was posted: kept with its row, so that a change updates it. */
export const Posted = z.object({ channel: z.string(), ts: z.string() });
export type Posted = z.infer<typeof Posted>;

/** A message to one person. `pause` and `waitsAbove` (credits) say which pause or approval limit it was about. */
const PersonPost = Posted.extend({ pause: z.string().optional(), waitsAbove: z.number().optional() });

/**
 * Posts a row to a person, or changes the old message. A change notifies nobody, so another pause or limit is a new
 * message.
 */
export async function toPerson(
  { web, replies }: Pick<SlackDeps, 'web' | 'replies'>,
  row: OutboxRow,
  user: string,
  { message, pause, waitsAbove }: { message: Message } & Omit<z.infer<typeof PersonPost>, keyof Posted>,
): Promise<Delivery> {
  const before = PersonPost.safeParse(row.posted).data;
  const isSameNews =
    before &&
    (pause === undefined || pause === before.pause) &&
    (waitsAbove === undefined || waitsAbove === before.waitsAbove);
  const { channel, ts } = isSameNews
    ? await postCard(web, before, before.channel, message)
    : await replies.direct(user, message);
  return { kind: 'posted', posted: PersonPost.parse({ channel, ts, pause, waitsAbove }) };
}

/** The message was deleted, is too old to change, or is an earlier installation's: post its news again. */
const BEYOND_CHANGE = new Set(['message_not_found', 'edit_window_closed', 'cant_update_message']);

/** Updates the message that was posted before, else posts it. @throws the error of the Slack call that failed */
export async function postCard(
  web: WebClient,
  before: Posted | undefined,
  channel: string,
  message: Message | ShownMessage,
): Promise<Posted> {
  const { shown, plainer } = asShown(message);
  async function post(words: Message): Promise<Posted> {
    try {
      if (before) {
        await web.chat.update({ ...before, ...words });
        return before;
      }
    } catch (error) {
      if (!BEYOND_CHANGE.has(slackErrorOf(error) ?? '')) throw error;
    }
    const { ts } = await web.chat.postMessage({ channel, ...words });
    return { channel, ts: ts ?? '' };
  }
  return post(shown).catch((error: unknown) => {
    if (!plainer || slackErrorOf(error) !== INVALID_BLOCKS) throw error;
    return post(plainer);
  });
}

/** The people who got a message instead of its channel. The row keeps this in place of `Posted`. */
export const WithReaders = z.object({ readers: z.array(z.string()) });

/** `isAsker`: the news is for the person who asked for approval. If they may approve, too, their card has another row. */
export const ForReader = z.object({ reader: z.string(), isAsker: z.boolean().optional() });

/** Posts a row to a channel, or updates the message. If the channel takes no post, the people of `instead` get it. */
export async function toChannel(
  { web, core, log }: SlackDeps,
  row: OutboxRow,
  { channel, message, details }: { channel: string; message: Message; details?: object },
  instead: () => Promise<readonly string[]> = async () => [],
): Promise<Delivery> {
  try {
    const before = Posted.safeParse(row.posted).data;
    return { kind: 'posted', posted: await postCard(web, before, channel, message) };
  } catch (error) {
    const why = hopelessWordOf(error);
    const readers = why === undefined ? [] : await instead();
    if (readers.length === 0) throw error;
    log.warn(
      { row: row.id, why },
      'the bot can’t post to a channel, so it sends the news to people directly',
    );
    return announceToReaders(core, row, { readers, details: details ?? {} });
  }
}

/** Gives each reader (a user's id) a row of their own. If the bot announces the row again, their messages are due again. */
export async function announceToReaders(
  { announce }: Pick<Core, 'announce'>,
  row: OutboxRow,
  { readers, details }: { readers: readonly string[]; details: object },
): Promise<Delivery> {
  const { topic, subject } = row;
  for (const reader of readers)
    await announce({ id: `${row.id}:${reader}`, topic, subject, details: { ...details, reader } });
  return { kind: 'posted', posted: { readers: [...readers] } };
}

const TRIES_BY_URL = 3;

/** Puts a message in the place of the one that `reply` leads to. Undefined once the bot can't reach that one any more. */
export async function deliverInPlace(
  { replies }: Pick<SlackDeps, 'replies'>,
  row: OutboxRow,
  reply: unknown,
  message: Message,
): Promise<Delivery | undefined> {
  const used = await replies.inPlace(reply, message);
  if (typeof used === 'object') return { kind: 'refused', ...used };
  if (used === 'done') return { kind: 'posted', posted: null };
  return used === 'lost' && row.attempts < TRIES_BY_URL ? { kind: 'lost' } : undefined;
}

/** Says in the place of an expired draft that it expired. If that can't be done, a click on the draft says so. */
export async function deliverExpired(
  deps: Pick<SlackDeps, 'replies'>,
  row: OutboxRow,
  view: SendView | JobView,
): Promise<Delivery> {
  const delivered = await deliverInPlace(deps, row, view.details.reply, expiredDraft(view));
  return delivered ?? { kind: 'dropped', why: 'the expired draft cannot be reached any more' };
}

/** Refusals that no wait mends: the channel or person is gone, or the bot was removed or may not write there. */
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

/** The delivery that a failed Slack call proves. @throws the error, if Slack may have done its work */
export function afterError(error: unknown): Delivery {
  const hopeless = hopelessWordOf(error);
  if (hopeless !== undefined) return { kind: 'dropped', why: hopeless };
  if (!(error instanceof UploadError || provesRefusal(error))) throw error;
  const waitMs = error instanceof UploadError ? error.waitMs : slackWaitOf(error);
  return { kind: 'refused', why: slackErrorOf(error), ...(waitMs !== undefined && { waitMs }) };
}
