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

/**
 * Logs the change, and announces it in the channel, since it concerns everybody there. The same change of the same moment
 * `at` (wall ms) is one message, however often it is announced.
 */
export async function announceLinkChange(
  { announce, log }: { announce(row: Announcement): Promise<void>; log: Logger },
  change: LinkChange,
  at: number,
): Promise<void> {
  const { channel, linked } = change;
  log.info({ channel, linked }, linked ? 'a channel was linked' : 'a channel was unlinked');
  await announce({
    id: `${TOPICS.linkChanged}:${change.team}/${change.channel}:${at}`,
    topic: TOPICS.linkChanged,
    subject: change.channel,
    details: change,
  });
}
