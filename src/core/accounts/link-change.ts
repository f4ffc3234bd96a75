import type { Logger } from 'pino';
import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
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

/** Logs the change, and announces it in the channel, since it concerns everybody there: once for each `name`. */
export async function announceLinkChange(
  { ledger, log }: { ledger: Pick<Ledger, 'changeState'>; log: Logger },
  change: LinkChange,
  name: string,
): Promise<void> {
  const { channel, linked } = change;
  const id = `${TOPICS.linkChanged}:${name}`;
  const announcements = [{ id, topic: TOPICS.linkChanged, subject: channel, details: change }];
  const told = { from: undefined, to: 'told', details: null, isOver: true, announcements };
  if (await ledger.changeState(id, told))
    log.info({ channel, linked }, linked ? 'a channel was linked' : 'a channel was unlinked');
}
