import { z } from 'zod';
import type { Core } from '../core/core.ts';

/** Outbox topic of what a channel is told when it is linked or unlinked. */
export const LINK_TOPIC = 'link_changed';

/** The news. */
export const LinkChange = z.object({
  team: z.string(),
  channel: z.string(),
  by: z.string(),
  instanceName: z.string(),
  linked: z.boolean(),
});
export type LinkChange = z.infer<typeof LinkChange>;

/** Tells the channel, surely: what concerns the team is posted in the channel. */
export async function announceLinkChange(core: Core, change: LinkChange): Promise<void> {
  await core.announce({
    id: `${LINK_TOPIC}:${change.team}/${change.channel}:${Date.now()}`,
    topic: LINK_TOPIC,
    subject: change.channel,
    details: change,
  });
}
