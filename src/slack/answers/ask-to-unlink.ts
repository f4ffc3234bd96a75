import type { LinkedView } from '../../core/accounts/instance-view.ts';
import type { Message } from '../ui/blocks.ts';
import { unlinkQuestion } from '../ui/setup/link-news.ts';
import type { SlackDeps } from '../workspaces/deps.ts';

/**
 * Asks whether to unlink the channel, and what to do about its jobs. `notice`: why it asks once more. `busy`: how many jobs
 * keep the link, where that is known.
 */
export async function askToUnlink(
  { core }: Pick<SlackDeps, 'core'>,
  { link, instance }: LinkedView,
  { notice, busy }: { notice?: string; busy?: number } = {},
): Promise<Message> {
  const open = await core.jobs.open(link.channel);
  return unlinkQuestion({
    instanceName: instance.name,
    channel: link.channel,
    linkedAt: link.linkedAt,
    newestJob: Math.max(0, ...open.map(({ decidedAt = 0 }) => decidedAt)),
    jobs: busy ?? open.length,
    notice,
  });
}
