import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import type { OutboxRow, Poster } from '../ledger/outbox/outbox-types.ts';
import { createPostRow, type Deliver, LEASE_MS, STORE_RETRY_MS } from './post-or-retry.ts';

/** How many rows are posted at the same time. Slack limits each workspace by itself, and there may be many workspaces. */
const WORKERS = 16;

export type Outbox = ReturnType<typeof createOutbox>;

/** Posts messages that must arrive, and tries for a day. If Slack's answer was lost, it posts the row once more. */
export function createOutbox(deps: {
  ledger: Ledger;
  log: Logger;
  /** Called for each row that was given up. */
  onGivenUp?: (() => void) | undefined;
}) {
  const { ledger, log, onGivenUp } = deps;
  /** Each worker posts one row, or waits for the row of its token. */
  const workers = new Set<Promise<void>>();
  /** Workers that wait for the row of this token. */
  const promised = new Map<string, (row: OutboxRow | undefined) => void>();
  let deliver: Deliver | undefined;
  let draining = false;
  /** A row may be due that no worker has looked for yet. */
  let wanted = false;
  let isLooking = false;
  /** Tokens that may have a row: the store's answer was lost. Asking with the same token gives the same row. */
  const unanswered: string[] = [];

  const postRow = createPostRow({ ledger, log, onGivenUp, hasRoom, isDraining: () => draining, wake });

  function hasRoom(): boolean {
    return !draining && workers.size < WORKERS;
  }

  /** Looks for due rows. Does nothing before `start`. */
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

  /** Posts the rows that this process announces. Each token reserves a worker. */
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
        hire(promise.then((row) => row && postRow(row, token, post)));
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

  /** Looks for the row of this token once the store may be back. */
  function askAgain(token: string): void {
    unanswered.push(token);
    setTimeout(wake, STORE_RETRY_MS).unref();
  }

  /** Takes one due row and posts it. One worker looks at a time, and looks again if rows became due meanwhile. */
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
    // The others must not wait for a slow channel.
    if (row?.areMore || wanted || unanswered.length > 0) wake();
    if (row) await postRow(row, token, post);
  }

  return {
    wake,
    /** Begins to post due rows by `post`. */
    start(post: Deliver): void {
      deliver = post;
      ledger.postWith(posterFor(post));
    },
    /** Takes no new rows. Resolves when Slack has answered for all rows that are being posted. */
    async drain(): Promise<void> {
      draining = true;
      await Promise.allSettled(workers);
    },
  };
}
