import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import { DAY_MS } from '../ledger/model/days.ts';
import type { Json } from '../ledger/model/json.ts';
import type { OutboxRow } from '../ledger/outbox/outbox-types.ts';
import { createFinishTogether } from './finish-together.ts';
import { rowForLog } from './topics.ts';

/** What became of one try to deliver. `refused` is proof that nothing was posted; `lost` is not. */
export type Delivery =
  | {
      kind: 'posted';
      posted: Json;
      /** Post it again after this many ms, when its words are out of date. */
      againMs?: number;
    }
  | {
      kind: 'refused' | 'lost';
      /** How long Slack asks to wait. */
      waitMs?: number;
      /** Slack's reason, for the log. */
      why?: string | undefined;
    }
  /** The row has nothing to say any more, or nobody to read it. */
  | { kind: 'dropped'; why: string };

export type Deliver = (row: OutboxRow) => Promise<Delivery>;

/** How long a row belongs to its poster, in ms. A live poster renews this lease. After it, another poster takes the row. */
export const LEASE_MS = 30_000;
/** A message comes again by itself after this time at most, in ms: a row that waits longer looks as if a clock was set back. */
const LONGEST_AGAIN_MS = 300_000;
const RENEW_MS = 10_000;
/** How long to wait after the store failed, before the next try, in ms. */
export const STORE_RETRY_MS = 500;
/** How long to try to record what became of a row, in ms. */
const NOTE_FOR_MS = 90_000;
const LEAST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
/** How long a posted row waits for other posts, in ms: one commit then records all of them. */
const TOGETHER_MS = 50;
/** The bot gives up a row after this many ms, if it has tried often enough. */
const GIVE_UP_AFTER_MS = DAY_MS;
/** The fewest tries before that, about ten minutes' worth: the bot may have been stopped all day. */
const LEAST_TRIES = 20;

/** Posts a row that this token has taken, renews its lease meanwhile, and records what became of it. */
export function createPostRow(deps: {
  ledger: Pick<Ledger, 'now' | 'extendPosting' | 'markPosted' | 'postLater'>;
  log: Logger;
  onGivenUp?: (() => void) | undefined;
  /** Whether more rows can be posted at the same time. */
  hasRoom(): boolean;
  isDraining(): boolean;
  /** Looks for due rows. */
  wake(): void;
}) {
  const { ledger, log, onGivenUp, hasRoom, isDraining, wake } = deps;
  const posts = createFinishTogether(TOGETHER_MS);

  /** Posts the row. After an error it may have been posted or not: `lost`. */
  async function tryToPost(row: OutboxRow, post: Deliver): Promise<Delivery> {
    try {
      return await post(row);
    } catch (error) {
      log.error({ err: error, ...rowForLog(row) }, 'a message could not be made or posted');
      return { kind: 'lost' };
    }
  }

  async function postOnce(row: OutboxRow, token: string, post: Deliver): Promise<void> {
    const notePosted = (posted: Json, againMs?: number) =>
      writeDown(() => ledger.markPosted(row.id, token, posted, againMs));
    posts.begin();
    const delivery = await tryToPost(row, post);
    await posts.end({ atOnce: !hasRoom() });
    if (delivery.kind === 'posted') {
      log.info({ ...rowForLog(row), posted: row.topic }, 'a message was posted');
      const { againMs } = delivery;
      return notePosted(delivery.posted, againMs && Math.min(againMs, LONGEST_AGAIN_MS));
    }
    if (delivery.kind === 'dropped') {
      log.info({ ...rowForLog(row), why: delivery.why }, 'a message is not posted');
      return notePosted(row.posted ?? null);
    }
    const { kind, why } = delivery;
    const tries = row.attempts + 1;
    if (tries >= LEAST_TRIES && ledger.now() - row.since >= GIVE_UP_AFTER_MS) {
      const { topic } = row;
      log.error({ ...rowForLog(row), topic, tries, why }, 'a message to Slack was given up after a day');
      onGivenUp?.();
      return notePosted(row.posted ?? null);
    }
    const waitMs = Math.max(LEAST_PAUSE_MS, delivery.waitMs ?? pauseAfter(row.attempts));
    log.warn({ ...rowForLog(row), kind, why, waitMs: Math.round(waitMs) }, 'a message waits to be posted');
    await writeDown(() => ledger.postLater(row.id, token, waitMs));
    setTimeout(wake, waitMs).unref();
  }

  /** Tries again while the store is away. Otherwise the row would wait until its lease is over. */
  async function writeDown(write: () => Promise<void>): Promise<void> {
    const until = performance.now() + NOTE_FOR_MS;
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (isDraining() || performance.now() >= until) throw error;
        await sleep(STORE_RETRY_MS);
      }
    }
  }

  return async (row: OutboxRow, token: string, post: Deliver): Promise<void> => {
    const renewing = setInterval(() => {
      ledger.extendPosting(row.id, token, LEASE_MS).catch((err: unknown) => {
        log.warn({ err, ...rowForLog(row) }, 'the lease of a message could not be renewed');
      });
    }, RENEW_MS);
    await postOnce(row, token, post).finally(() => clearInterval(renewing));
  };
}

/** How long to wait for the next try, in ms: twice as long each time, a quarter more or less. */
function pauseAfter(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(attempts, 10)) * (0.75 + Math.random() / 2);
}
