import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import type { Json } from '../ledger/model/types.ts';
import type { OutboxRow, Poster } from '../ledger/outbox/outbox-types.ts';
import { createLanding } from './landing.ts';
import { rowForLog } from './topics.ts';

/** What became of one try to deliver. `refused` is proof that nothing was posted; `lost` is not. */
export type Delivery =
  | {
      kind: 'posted';
      posted: Json;
      /** After how many ms it is posted again: what it says is not true for longer. */
      againMs?: number;
    }
  | {
      kind: 'refused';
      waitMs?: number;
      /** The word of whoever refused it, for the log. */
      why?: string | undefined;
    }
  | { kind: 'lost' }
  /** There is nothing to say, or nobody to say it to any more. */
  | { kind: 'dropped'; why: string };

/** Posts a row. */
export type Deliver = (row: OutboxRow) => Promise<Delivery>;

/**
 * Posts what must arrive, and tries for a day. A row that was posted but whose answer was lost is posted once more.
 */
export interface Outbox {
  /** Something may be due. Does nothing before `start`. */
  wake(): void;
  /** From now on `deliver` posts what is due. */
  start(deliver: Deliver): void;
  /** Takes nothing new, and resolves when what is being posted has its answer. */
  drain(): Promise<void>;
}

/** When a poster that went silent counts as dead: another one then posts the row. One that lives renews it in time. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How long to try to write down what became of a row, in ms. */
const NOTE_FOR_MS = 90_000;
/** Rows being posted at a time: Slack limits each workspace by itself, and there may be many. */
const WORKERS = 16;
const LEAST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
const STORE_RETRY_MS = 500;
/** How long what became of a row may wait for other posts, in ms: they are written down together. */
const LANDING_MS = 50;
/** A row that waits longer than this is given up, in ms. */
const GIVE_UP_AFTER_MS = 86_400_000;
/** But not before it was tried this often: the bot may have been stopped for that day. */
const LEAST_TRIES = 5;

export function createOutbox(deps: {
  ledger: Ledger;
  log: Logger;
  /** Called for each row that was given up. */
  onGivenUp?(): void;
}): Outbox {
  const { ledger, log, onGivenUp } = deps;
  /** Each posts one row, or waits for the one that it was promised. */
  const workers = new Set<Promise<void>>();
  /** Workers that wait for the row of this token. */
  const promised = new Map<string, (row: OutboxRow | undefined) => void>();
  const landing = createLanding(LANDING_MS);
  let deliver: Deliver | undefined;
  let draining = false;
  /** Something may be due that nobody has looked for. */
  let wanted = false;
  let isLooking = false;
  /** Tokens whose row may have been handed over without us hearing of it: asked again, it is the same row. */
  const unanswered: string[] = [];

  function hasRoom(): boolean {
    return !draining && workers.size < WORKERS;
  }

  function wake(): void {
    wanted = true;
    if (deliver && !isLooking && hasRoom()) hire(lookAndPost(deliver));
  }

  function hire(work: Promise<void>): void {
    const worker = work.catch((error: unknown) => {
      log.error({ err: error }, 'the outbox could not be read or written');
    });
    workers.add(worker);
    void worker.finally(() => {
      workers.delete(worker);
      if (wanted) wake();
    });
  }

  /** Takes what this process announces: each token keeps a worker for its row. */
  function posterFor(post: Deliver): Poster {
    const end = (token: string, row: OutboxRow | undefined) => {
      promised.get(token)?.(row);
      promised.delete(token);
    };
    return {
      leaseMs: LEASE_MS,
      token() {
        if (!hasRoom()) return undefined;
        const token = randomUUID();
        const { promise, resolve } = Promise.withResolvers<OutboxRow | undefined>();
        promised.set(token, resolve);
        hire(promise.then((row) => row && postAndNote(row, token, post)));
        return token;
      },
      post: end,
      lost(token) {
        end(token, undefined);
        askAgain(token);
      },
      wake,
    };
  }

  /** The row of this token is looked for once the store may be back. */
  function askAgain(token: string): void {
    unanswered.push(token);
    setTimeout(wake, STORE_RETRY_MS).unref();
  }

  /** Posts one row. One worker looks at a time: what becomes due meanwhile is looked for after that. */
  async function lookAndPost(post: Deliver): Promise<void> {
    const token = unanswered.pop() ?? randomUUID();
    wanted = false;
    isLooking = true;
    let row: OutboxRow | undefined;
    try {
      row = await ledger.takeDue(token, LEASE_MS);
    } catch (error) {
      askAgain(token);
      throw error;
    } finally {
      isLooking = false;
    }
    // A slow channel must not hold the others up.
    if (row?.areMore || wanted || unanswered.length > 0) wake();
    if (row) await postAndNote(row, token, post);
  }

  async function postAndNote(row: OutboxRow, token: string, post: Deliver): Promise<void> {
    const renewing = setInterval(() => renew(row, token), RENEW_MS);
    await postOnce(row, token, post).finally(() => clearInterval(renewing));
  }

  function renew(row: OutboxRow, token: string): void {
    ledger.extendPosting(row.id, token, LEASE_MS).catch((error: unknown) => {
      log.warn({ err: error, ...rowForLog(row) }, 'the lease of a message could not be renewed');
    });
  }

  async function postOnce(row: OutboxRow, token: string, post: Deliver): Promise<void> {
    let delivery: Delivery;
    landing.begin();
    try {
      delivery = await post(row);
    } catch (error) {
      // Not knowing what broke is not proof that nothing was posted.
      log.error({ err: error, ...rowForLog(row) }, 'a message could not be made or posted');
      delivery = { kind: 'lost' };
    }
    await landing.end({ atOnce: !hasRoom() });
    if (delivery.kind === 'posted') {
      log.info({ ...rowForLog(row), posted: row.topic }, 'a message was posted');
      return notePosted(row, token, delivery.posted, delivery.againMs);
    }
    if (delivery.kind === 'dropped') {
      log.info({ ...rowForLog(row), why: delivery.why }, 'a message is not posted');
      return notePosted(row, token, row.posted ?? null);
    }
    const why = delivery.kind === 'refused' ? delivery.why : undefined;
    const tries = row.attempts + 1;
    if (tries >= LEAST_TRIES && ledger.now() - row.since >= GIVE_UP_AFTER_MS) {
      const { topic } = row;
      log.error({ ...rowForLog(row), topic, tries, why }, 'a message to Slack was given up after a day');
      onGivenUp?.();
      return notePosted(row, token, row.posted ?? null);
    }
    const pause = Math.min(LONGEST_PAUSE_MS, 500 * 2 ** Math.min(row.attempts, 10));
    const asked = delivery.kind === 'refused' ? delivery.waitMs : undefined;
    const waitMs = Math.max(LEAST_PAUSE_MS, asked ?? pause * (0.75 + Math.random() / 2));
    log.warn(
      { ...rowForLog(row), kind: delivery.kind, why, waitMs: Math.round(waitMs) },
      'a message waits to be posted',
    );
    await writeDown(() => ledger.postLater(row.id, token, waitMs));
    setTimeout(wake, waitMs).unref();
  }

  function notePosted(row: OutboxRow, token: string, posted: Json, againMs?: number): Promise<void> {
    return writeDown(() => ledger.markPosted(row.id, token, posted, againMs));
  }

  /** What became of a row is kept while the store is away: else the row would wait until its lease is over. */
  async function writeDown(write: () => Promise<void>): Promise<void> {
    for (const until = performance.now() + NOTE_FOR_MS; ; ) {
      try {
        return await write();
      } catch (error) {
        if (draining || performance.now() >= until) throw error;
        await sleep(STORE_RETRY_MS);
      }
    }
  }

  return {
    wake,
    start(post) {
      deliver = post;
      ledger.postWith(posterFor(post));
    },
    async drain() {
      draining = true;
      await Promise.allSettled(workers);
    },
  };
}
