import type { Collection } from '../../store/collection.ts';

/** A number that is or was opted out in a workspace. Times are ms by the store's clock. */
export interface OptOutRecord {
  team: string;
  /** The number's keyed hash. */
  hash: string;
  /** The number, sealed; missing once an operator has erased it. */
  sealed?: string;
  /** Its changes, oldest first; the last one holds. Of very many only the newest are kept. */
  changes: OptOutChange[];
}

/** Somebody opted a number out, or in again. */
interface OptOutChange extends OptOutCause {
  to: 'out' | 'in';
  at: number;
  /** Why, in a person's words, sealed. */
  sealedReason?: string;
}

/** Who did it, and from where. */
export interface OptOutCause {
  by: string;
  via: 'command' | 'shortcut' | 'import';
  channelId?: string;
}

/** A number to opt out or in, with its reason: hashed and sealed, as the record keeps them. */
interface OptOutEntry extends Pick<OptOutChange, 'sealedReason'> {
  hash: string;
  sealed: string;
}

/** A change of some numbers, for the same cause. */
export interface OptOutRequest {
  team: string;
  to: OptOutChange['to'];
  cause: OptOutCause;
  /** Some hundred at most: they share one commit. */
  entries: OptOutEntry[];
  /** Leaves numbers alone that somebody has changed after this moment (ms by the store's clock). */
  unlessChangedSince?: number;
}

/** Seals a text of the opt-out at this address under the first key. Returns it unchanged if that key sealed it. */
export type RenewSealed = (sealed: string, address: string) => string;

/** Numbers that must get no texts. An opt-out's id is `optOutIdOf`. */
export const optOuts: Collection<OptOutRecord> = {
  name: 'opt-outs',
  whenDamaged: damagedOptOut,
  indexes: {
    out: (found) => (isOptedOut(found) ? [found.team, changedAt(found), found.hash] : undefined),
    // Numbers that were opted in again: their past stays for a while.
    over: (found) => (isOptedOut(found) ? undefined : [changedAt(found)]),
  },
};

/** Nobody knows any more whether the number is opted out. So it counts as opted out until a person opts it in. */
function damagedOptOut(id: string): OptOutRecord {
  const slash = id.indexOf('/');
  return { team: id.slice(0, slash), hash: id.slice(slash + 1), changes: [] };
}

/** A damaged record may have lost its changes, but still holds: the bot must never text a number that is opted out. */
export function isOptedOut({ changes = [] }: OptOutRecord): boolean {
  return changes.at(-1)?.to !== 'in';
}

export function changedAt({ changes = [] }: OptOutRecord): number {
  return changes.at(-1)?.at ?? 0;
}

export function optOutIdOf({ team, hash }: Pick<OptOutRecord, 'team' | 'hash'>): string {
  return `${team}/${hash}`;
}

/** The document's address: its sealed texts open only there. */
export function optOutAddress(id: string): string {
  return `opt-outs/${id}`;
}

interface OptOutCount {
  team: string;
  numbers: number;
}

/** How many numbers of a workspace are opted out; its id is the workspace's. */
export const optOutCounts: Collection<OptOutCount> = {
  name: 'opt-out-counts',
  whenDamaged: (team): OptOutCount => ({ team, numbers: 0 }),
  indexes: { teams: ({ team }) => [team] },
};
