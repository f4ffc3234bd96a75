import type { Collection } from '../../store/collection.ts';
import { timeKey } from '../model/time-key.ts';
import type { OptOutRecord } from './opt-out-types.ts';

/** Numbers that must get no texts. An opt-out's id is `optOutIdOf`. */
export const optOuts: Collection<OptOutRecord> = {
  name: 'opt-outs',
  indexes: {
    out: (found) => (isOptedOut(found) ? [found.team, timeKey(changedAt(found)), found.hash] : undefined),
    // Numbers that were opted in again: their past stays for a while.
    over: (found) => (isOptedOut(found) ? undefined : [timeKey(changedAt(found))]),
  },
};

/** A damaged record may have lost its changes. It still holds: the bot must never text a number that is opted out. */
export function isOptedOut({ changes = [] }: OptOutRecord): boolean {
  return changes.at(-1)?.to !== 'in';
}

function changedAt({ changes = [] }: OptOutRecord): number {
  return changes.at(-1)?.at ?? 0;
}

export function optOutIdOf({ team, hash }: Pick<OptOutRecord, 'team' | 'hash'>): string {
  return `${team}/${hash}`;
}

/** The document's address: its sealed texts open only there. */
export function optOutAddress(id: string): string {
  return `opt-outs/${id}`;
}

/** How many numbers of a workspace are opted out; its id is the workspace's. */
export const optOutCounts: Collection<{ team: string; numbers: number }> = {
  name: 'opt-out-counts',
  indexes: { teams: ({ team }) => [team] },
};
