import { defined } from '../../ledger/model/defined.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';

export type CommonView = ReturnType<typeof commonView>;

/** What people see of a text and of a list alike. */
export function commonView(send: SendRecord) {
  const { id, team, channelId: channel, instance, state, createdAt, expiresAt } = send;
  const { endedAt, decidedBy, decidedAt, startsAt, undoneBy, resends, approval } = send;
  const known = { id, team, channel, instance, state, createdAt, expiresAt };
  return { ...known, ...defined({ endedAt, decidedBy, decidedAt, startsAt, undoneBy, resends, approval }) };
}
