import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/types.ts';
import { announce } from './announce.ts';
import { changeState, namedState } from './named-states.ts';
import type { NamedState, OutboxRow, Poster, StateChange } from './outbox-types.ts';
import type { PostingSteps } from './posting.ts';
import { extendPosting, markPosted, postLater } from './rows-being-posted.ts';
import { nextDueAt, takeDue } from './take-rows.ts';

/** Messages to Slack that must arrive, and named states that change together with them. */
export interface OutboxLedger {
  announce(announcement: Announcement): Promise<void>;
  /**
   * From now on, if a step of this process makes a row due and the poster has room, the same commit takes the row.
   * Other rows wait for `takeDue`.
   */
  postWith(poster: Poster): void;
  /** The next due row, now `posting` for this token; `undefined` when none is due. */
  takeDue(token: string, leaseMs: number): Promise<OutboxRow | undefined>;
  /** Renews the lease of a row that this token is still posting, for `leaseMs` from now; false if it is not. */
  extendPosting(id: string, token: string, leaseMs: number): Promise<boolean>;
  /** When the next row falls due, if any waits. */
  nextDueAt(): Promise<number | undefined>;
  /** The row's message arrived. If the row changed meanwhile, it is due again now; if not, in `againMs`, if given. */
  markPosted(id: string, token: string, posted: Json, againMs?: number): Promise<void>;
  postLater(id: string, token: string, waitMs: number): Promise<void>;
  namedState(name: string): Promise<NamedState | undefined>;
  /** Compare-and-set of a named state, together with its announcements; false if its state is not `from`. */
  changeState(name: string, move: StateChange): Promise<boolean>;
}

export function createOutboxLedger({ run, postWith }: PostingSteps): OutboxLedger {
  return {
    announce: (announcement) => run((view) => announce(view, announcement)),
    postWith,
    takeDue: (token, leaseMs) => run((view) => takeDue(view, token, leaseMs), 'outbox'),
    extendPosting: (id, token, leaseMs) => run((view) => extendPosting(view, id, token, leaseMs)),
    nextDueAt: () => run(nextDueAt),
    markPosted: (id, token, posted, againMs) =>
      run((view) => markPosted(view, id, token, { posted, againMs }), 'outbox'),
    postLater: (id, token, waitMs) => run((view) => postLater(view, id, token, waitMs), 'outbox'),
    namedState: (name) => run((view) => namedState(view, name)),
    changeState: (name, change) => run((view) => changeState(view, name, change)),
  };
}
