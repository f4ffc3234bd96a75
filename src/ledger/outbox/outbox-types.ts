import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/json.ts';

/** A message to Slack that must arrive. The row keeps topic and subject; the bot makes the words when it posts. */
export interface OutboxRow extends Omit<Announcement, 'spacingMs'> {
  /** Where the bot posted it before, as the poster wrote it: a changed row updates that message. */
  posted?: Json;
  /** How often the bot tried since the last post. */
  attempts: number;
  /** Since when these details wait. */
  since: number;
  /** Whether others are due as well. */
  areMore: boolean;
}

/** Posts what this process announces. `post` or `lost` ends every token that it gave. */
export interface Poster {
  /** For how long a token takes a row, in ms. */
  leaseMs: number;
  /** A token to post one more row; undefined if the bot is busy. */
  token(): string | undefined;
  /** The token has taken this row, and the store knows; undefined if the token took none. */
  post(token: string, row: OutboxRow | undefined): void;
  /** The store did not answer: the token may have taken a row. `takeDue` with this token finds it. */
  lost(token: string): void;
  /** Rows are due that nobody has taken. */
  wake(): void;
}
