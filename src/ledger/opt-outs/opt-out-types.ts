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
export interface OptOutChange extends OptOutCause {
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
export interface OptOutEntry extends Pick<OptOutChange, 'sealedReason'> {
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
}

/** Seals a text of the opt-out at this address under the first key. Returns it unchanged if that key sealed it. */
export type RenewSealed = (sealed: string, address: string) => string;
