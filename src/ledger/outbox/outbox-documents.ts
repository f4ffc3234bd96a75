import type { Collection } from '../../store/collection.ts';
import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/json.ts';

/** A message to Slack. Times are ms by the store's clock. */
export interface OutboxDocument {
  /** The news to post; missing if there is none. */
  waiting?: WaitingRow;
  posted?: Json;
  postedAt?: number;
  spacing?: number;
  /** The row is about a send, and is deleted with it. */
  isOfSend?: true;
}

export interface WaitingRow extends Pick<Announcement, 'topic' | 'subject' | 'details'> {
  /** When the row is due; while `token` posts it, when that poster counts as gone. */
  dueAt: number;
  token?: string;
  /** Since when news waits. A later announcement does not change this. */
  since: number;
  /** When it was last announced, if later. */
  revisedAt?: number;
  /** How often it was announced since its last post, and how many of these announcements `token` has read. */
  revision: number;
  takenRevision?: number;
  attempts: number;
}

export const outbox: Collection<OutboxDocument> = {
  name: 'outbox',
  whenDamaged: 'lost',
  indexes: {
    // Rows that were never tried come first.
    due: ({ waiting }) => waiting && [waiting.attempts > 0 ? 1 : 0, waiting.dueAt, waiting.since],
    waiting: ({ waiting }) => waiting && [waiting.since],
    posting: ({ waiting }) => (waiting?.token === undefined ? undefined : [waiting.token]),
    over: ({ waiting, isOfSend, postedAt }) =>
      waiting || isOfSend || postedAt === undefined ? undefined : [postedAt],
  },
};
