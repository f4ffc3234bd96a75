import { z } from 'zod';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { TOPICS } from '../topics.ts';

/**
 * An answer came for a send that the store has lost, or whose decision it has forgotten, so that its draft has ended
 * otherwise. `team`: its workspace. `by`: who sent it.
 */
export const LostRecord = z.object({
  team: z.string(),
  channel: z.string(),
  by: z.string(),
  /** What became of a text; of a list nobody knows. */
  became: z.enum(['sent', 'not_sent', 'unknown', 'unknown_list']),
});
export type LostRecord = z.infer<typeof LostRecord>;

/** Tells the sender what the answer says: their receipt or card has nothing to show any more. */
export function lostRecord({ id, team, channelId, kind, decidedBy }: SendRecord, to: Settlement['to']) {
  const became = kind === 'job' ? 'unknown_list' : BECAME[to];
  const details: LostRecord = { team, channel: channelId, by: decidedBy ?? '', became };
  return { id: `lost-record:${id}`, topic: TOPICS.lostRecord, subject: id, details } satisfies Announcement;
}

/** A text that waits for another try has none: nobody finds it any more. */
const BECAME: { [to in Settlement['to']]: LostRecord['became'] } = {
  sent: 'sent',
  rejected: 'not_sent',
  not_sent: 'not_sent',
  pending: 'not_sent',
  split: 'not_sent',
  unknown: 'unknown',
  resolved_per_message: 'unknown',
};
