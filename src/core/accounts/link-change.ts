import { z } from 'zod';
import type { Announcement } from '../../ledger/model/announcement.ts';
import { TOPICS } from '../topics.ts';

/** The news of a channel that was linked or unlinked. */
export const LinkChange = z.object({
  team: z.string(),
  channel: z.string(),
  by: z.string(),
  instanceName: z.string(),
  linked: z.boolean(),
});
export type LinkChange = z.infer<typeof LinkChange>;

/** Tells the channel, surely: what concerns the team is posted in the channel. */
export async function announceLinkChange(
  { announce }: { announce(row: Announcement): Promise<void> },
  change: LinkChange,
): Promise<void> {
  await announce({
    id: `${TOPICS.linkChanged}:${change.team}/${change.channel}:${Date.now()}`,
    topic: TOPICS.linkChanged,
    subject: change.channel,
    details: change,
  });
}
