import { defined } from '../../ledger/model/defined.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';

/** What people see of a text as of a list. */
export interface CommonView
  extends Pick<
    SendRecord,
    | 'id'
    | 'team'
    | 'instance'
    | 'state'
    | 'createdAt'
    | 'expiresAt'
    | 'endedAt'
    | 'decidedBy'
    | 'decidedAt'
    | 'resends'
    | 'approval'
  > {
  channel: string;
  /** When it begins (ms since 1970), at the earliest; until then it can be undone. */
  startsAt?: number;
  /** Who undid it: nothing was sent. */
  undoneBy?: string;
}

export function commonView(send: SendRecord): CommonView {
  const { id, team, channelId: channel, instance, state, createdAt, expiresAt } = send;
  const { endedAt, decidedBy, decidedAt, startsAt, undoneBy, resends, approval } = send;
  return {
    id,
    team,
    channel,
    instance,
    state,
    createdAt,
    expiresAt,
    ...defined({ endedAt, decidedBy, decidedAt, startsAt, undoneBy, resends, approval }),
  };
}
