import type { OutboxRow } from '../../core/core.ts';
import type { Delivery } from '../../core/post-row.ts';
import { ReplyTo } from '../answers/replies.ts';
import type { Message } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/** How many times a `response_url` is tried at most. */
export const TRIES_BY_URL = 3;

/**
 * Says where a draft was shown that it has expired, while that can be reached (docs.slack.dev: a response_url lives for
 * 30 minutes). After that nobody is written to: a click on it says so, too.
 */
export async function deliverExpired(
  { replies }: Pick<SlackDeps, 'replies'>,
  row: OutboxRow,
  reply: unknown,
  message: Message,
): Promise<Delivery> {
  const to = ReplyTo.safeParse(reply).data;
  const used = to ? await replies.byUrl(to, message, { replace: true }) : 'gone';
  if (typeof used === 'object') return { kind: 'refused', ...used };
  if (used === 'done') return { kind: 'posted', posted: null };
  return used === 'lost' && row.attempts < TRIES_BY_URL
    ? { kind: 'lost' }
    : { kind: 'dropped', why: 'the expired draft cannot be reached any more' };
}
