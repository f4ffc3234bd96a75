import { z } from 'zod';
import type { Announcement } from '../../ledger/model/announcement.ts';
import type { Settlement } from '../../ledger/model/attempt-types.ts';
import { defined } from '../../ledger/model/defined.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import { maskNumber } from '../texts/phone-format.ts';
import { TOPICS } from '../topics.ts';
import { SendDetails } from './send-details.ts';

/**
 * An answer came for a send that the store has lost, or whose decision it has forgotten, so that its draft has ended
 * otherwise. `team`: its workspace. `by`: who sent it. Of a text, `to` is the masked number.
 */
export const LostRecord = z.object({
  team: z.string(),
  channel: z.string(),
  by: z.string(),
  to: z.string().optional(),
  /** Of a text that is lost as a whole: the place of its "Sending…". */
  reply: z.json().optional(),
  /** What became of a text; of a list nobody knows. */
  became: z.enum(['sent', 'not_sent', 'unknown', 'unknown_list']),
});
export type LostRecord = z.infer<typeof LostRecord>;

/** Tells the sender what the answer says: their receipt or card has nothing to show. `isGone`: not even a draft is left. */
export function lostRecord(send: SendRecord, settlement: Settlement, { isGone }: { isGone: boolean }) {
  const { id, team, channelId, kind, decidedBy } = send;
  const text = kind === 'single' ? SendDetails.safeParse(send.details).data : undefined;
  const details: LostRecord = {
    team,
    channel: channelId,
    by: decidedBy ?? '',
    became: kind === 'job' ? 'unknown_list' : becameOf(settlement),
    ...defined({ to: text && maskNumber(text.e164), reply: isGone ? text?.reply : undefined }),
  };
  // No send names this row any more: an export finds it by its team.
  return {
    id: `lost-record:${team}/${id}`,
    topic: TOPICS.lostRecord,
    subject: id,
    details,
  } satisfies Announcement;
}

/** If this attempt made no request, the store may also have forgotten a later one that did. */
function becameOf(settlement: Settlement): 'sent' | 'not_sent' | 'unknown' {
  if (settlement.to === 'rejected') return 'not_sent';
  return settlement.to === 'sent' && settlement.otherStatus === undefined ? 'sent' : 'unknown';
}
