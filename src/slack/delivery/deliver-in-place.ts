import type { OutboxRow } from '../../core/core.ts';
import type { Delivery } from '../../core/post-or-retry.ts';
import type { Message } from '../ui/blocks.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

const TRIES_BY_URL = 3;

/** Puts a message in the place of the one that `reply` leads to; undefined once that can't be reached any more. */
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

/** We can't replace the message of an expired draft any more. We tell nobody: a click on it says that it expired. */
export const EXPIRED_UNREACHED: Delivery = {
  kind: 'dropped',
  why: 'the expired draft cannot be reached any more',
};
