import type { Logger } from 'pino';
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

/** Logs the change, and announces it in the channel, since it concerns everybody there. */
export async function announceLinkChange(
  { announce, log }: { announce(row: Announcement): Promise<void>; log: Logger },
  change: LinkChange,
): Promise<void> {
  const { channel, linked } = change;
  log.info({ channel, linked }, linked ? 'a channel was linked' : 'a channel was unlinked');
  await announce({
    id: `${TOPICS.linkChanged}:${change.team}/${change.channel}:${Date.now()}`,
    topic: TOPICS.linkChanged,
    subject: change.channel,
    details: change,
  });
}
