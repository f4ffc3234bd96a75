import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { OutboxRow } from '../../core/core.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import { INVALID_BLOCKS, slackErrorOf } from '../connection/slack-error.ts';
import { asShown, type Message, type ShownMessage } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** Where a message was posted: kept with its row, so that a change updates it. */
export const Posted = z.object({ channel: z.string(), ts: z.string() });
export type Posted = z.infer<typeof Posted>;

/** A message to one person, and which news it told: of which pause, or above how many credits a list waits for approval. */
const Told = Posted.extend({ pause: z.string().optional(), waitsAbove: z.number().optional() });

/** Posts a row to a person, or changes what was posted. A change notifies nobody, so other news comes as a new message. */
export async function toPerson(
  { web, replies }: Pick<SlackDeps, 'web' | 'replies'>,
  row: OutboxRow,
  user: string,
  { message, pause, waitsAbove }: { message: Message } & Omit<z.infer<typeof Told>, keyof Posted>,
): Promise<Delivery> {
  const before = Told.safeParse(row.posted).data;
  const isTold =
    before &&
    (pause === undefined || pause === before.pause) &&
    (waitsAbove === undefined || waitsAbove === before.waitsAbove);
  const { channel, ts } = isTold
    ? await postCard(web, before, before.channel, message)
    : await replies.direct(user, message);
  return { kind: 'posted', posted: Told.parse({ channel, ts, pause, waitsAbove }) };
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
  try {
    return await post(web, before, channel, shown);
  } catch (error) {
    if (!plainer || slackErrorOf(error) !== INVALID_BLOCKS) throw error;
    return post(web, before, channel, plainer);
  }
}

async function post(
  web: WebClient,
  before: Posted | undefined,
  channel: string,
  message: Message,
): Promise<Posted> {
  if (before) {
    try {
      await web.chat.update({ ...before, ...message });
      return before;
    } catch (error) {
      if (!BEYOND_CHANGE.has(slackErrorOf(error) ?? '')) throw error;
    }
  }
  const { ts } = await web.chat.postMessage({ channel, ...message });
  return { channel, ts: ts ?? '' };
}
