import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Ledger } from '../ledger/ledger.ts';
import type { OutboxRow, Poster } from '../ledger/outbox/outbox-types.ts';
import { createPostRow, type Deliver, LEASE_MS, STORE_RETRY_MS } from './post-or-retry.ts';

/** Rows being posted at a time: Slack limits each workspace by itself, and there may be many. */
const WORKERS = 16;

export type Outbox = ReturnType<typeof createOutbox>;

/** Posts what must arrive, and tries for a day. A row whose answer was lost is posted once more. */
export function createOutbox(deps: {
  ledger: Ledger;
  log: Logger;
  /** Called for each row that was given up. */
  onGivenUp?: (() => void) | undefined;
}) {
  const { ledger, log, onGivenUp } = deps;
  /** Each posts one row, or waits for the one that it was promised. */
  const workers = new Set<Promise<void>>();
  /** Workers that wait for the row of this token. */
  const promised = new Map<string, (row: OutboxRow | undefined) => void>();
  let deliver: Deliver | undefined;
  let draining = false;
  /** Something may be due that nobody has looked for. */
  let wanted = false;
  let isLooking = false;
  /** Tokens that may have got a row, though the answer was lost. Asking again with the token gives the same row. */
  const unanswered: string[] = [];

  const postRow = createPostRow({ ledger, log, onGivenUp, hasRoom, isDraining: () => draining, wake });

  function hasRoom(): boolean {
    return !draining && workers.size < WORKERS;
  }

  /** Something may be due. Does nothing before `start`. */
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
    if (row) await postRow(row, token, post);
  }

  return {
    wake,
    /** From now on `post` posts what is due. */
    start(post: Deliver): void {
      deliver = post;
      ledger.postWith(posterFor(post));
    },
    /** Takes nothing new, and resolves when what is being posted has its answer. */
    async drain(): Promise<void> {
      draining = true;
      await Promise.allSettled(workers);
    },
  };
}
