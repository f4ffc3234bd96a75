import { defined } from '../../ledger/model/defined.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';

export type CommonView = ReturnType<typeof commonView>;

/** What people see of a text and of a list alike. */
export function commonView(send: SendRecord) {
  const { id, team, channelId: channel, instance, state, createdAt, expiresAt } = send;
  const { endedAt, expiredFor, decidedBy, decidedAt, startsAt, undoneBy, resends, approval, mayBeSent } =
    send;
  const known = { id, team, channel, instance, state, createdAt, expiresAt };
  const more = {
    endedAt,
    expiredFor,
    decidedBy,
    decidedAt,
    startsAt,
    undoneBy,
    resends,
    approval,
    mayBeSent,
  };
  return { ...known, ...defined(more) };
}
