import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/json.ts';

/** A message to Slack that must arrive. The store keeps topic and subject; what it says is made when it is posted. */
export interface OutboxRow extends Omit<Announcement, 'spacingMs'> {
  /** Where it was posted before, as the poster wrote it: a changed row updates that message. */
  posted?: Json;
  /** How often it was tried since it last arrived. */
  attempts: number;
  /** When it became due, by this revision. */
  since: number;
  /** Whether others are due as well. */
  areMore: boolean;
}

/** Posts what this process announces. Every token that it gave is ended by `post` or `lost`. */
export interface Poster {
  /** How long a row is taken for, in ms. */
  leaseMs: number;
  /** A token to post one more row; undefined if the bot is busy. */
  token(): string | undefined;
  /** The store has this row, taken by the token; undefined if the token took none. */
  post(token: string, row: OutboxRow | undefined): void;
  /** The store did not answer: the token may have taken a row. `takeDue` with it finds that row. */
  lost(token: string): void;
  /** Rows are due that nobody has taken. */
  wake(): void;
}

/** A named state with one winner for every change of it, such as a link's low-credit alert. */
export interface NamedState {
  name: string;
  state: string;
  details: Json;
  movedAt: number;
  /** Nobody needs it any more: retention may delete it. */
  isOver?: true;
}

export interface StateChange {
  /** The state that it must have; `undefined`: it must not be there yet. */
  from: string | undefined;
  to: string;
  details: Json;
  isOver?: boolean;
  /** Become due in the same step. */
  announcements?: Announcement[];
}
