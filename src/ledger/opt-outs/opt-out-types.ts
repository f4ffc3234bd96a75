/** A number that is opted out in a workspace, or was once. Times are ms by the store's clock. */
export interface OptOutRecord {
  team: string;
  /** The number's keyed hash. */
  hash: string;
  /** The number, sealed; missing once an operator has erased it. */
  sealed?: string;
  /** Its changes, oldest first; the last one holds. If there are very many, only the newest are kept. */
  changes: OptOutChange[];
}

/** Somebody opted a number out, or in again. */
export interface OptOutChange extends OptOutCause {
  to: 'out' | 'in';
  at: number;
  /** Why, in the words that a person gave, sealed. */
  sealedReason?: string;
}

/** Who did it, and from where. */
export interface OptOutCause {
  by: string;
  via: 'command' | 'shortcut' | 'import';
  channelId?: string;
}

/** A number to be opted out or in: number and reason as the record is to keep them. */
export interface OptOutEntry extends Pick<OptOutChange, 'sealedReason'> {
  hash: string;
  sealed: string;
}

/** A change of some numbers, for the same cause. */
export interface OptOutRequest {
  team: string;
  to: OptOutChange['to'];
  cause: OptOutCause;
  /** Some hundred at most. */
  entries: OptOutEntry[];
}

/** Seals a text of the opt-out at this address under the first key. Returns the same text if it already is. */
export type RenewSealed = (sealed: string, address: string) => string;
