/** A number that must get no texts of a workspace, or must not any more. Times are ms by the store's clock. */
export interface OptOutRecord {
  team: string;
  /** The number's keyed hash. */
  hash: string;
  /** The number, sealed; missing once an operator has erased it. */
  sealed?: string;
  /** What was done about it, oldest first; the last one holds. Of very many only the newest. */
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

/** Seals again what another key sealed: of the opt-out at this address, a text; the same text where it need not be. */
export type RenewSealed = (sealed: string, address: string) => string;
