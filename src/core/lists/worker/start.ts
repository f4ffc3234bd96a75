import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { LedgerMessage } from '../../../ledger/model/chunk-record.ts';
import type { CheckRequest } from '../check-list.ts';
import type { ListInput } from '../list.ts';
import type { FromWorker, ToWorker, Which, WorkerAnswer, WorkerTask } from './messages.ts';

const ENDED = 'the thread that held the list has ended';
/** Enough for a million rows; a list that needs more ends its worker and nothing else. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** Checks a list in its own thread. */
export function startWorker(
  request: CheckRequest,
  onProgress: (rows: number) => void,
  leaveOut?: ListInput['leaveOut'],
) {
  // A copy of its own, which the worker takes over: the bytes may share their memory with others.
  const bytes = new Uint8Array(request.bytes);
  const worker = new Worker(new URL('./main.ts', import.meta.url), {
    workerData: { ...request, bytes, asksNumbers: leaveOut !== undefined } satisfies WorkerTask,
    transferList: [bytes.buffer],
    resourceLimits: LIMITS,
    // The worker gets none of the bot’s variables: they hold keys.
    env: compileCache(),
  });
  const checked = Promise.withResolvers<WorkerAnswer>();
  const gone = Promise.withResolvers<void>();
  /** The question that the worker is answering: at most one at a time. */
  let waiting: PromiseWithResolvers<FromWorker> | undefined;
  let hasEnded = false;
  let failure = new Error(ENDED);
  /** Resolves once we have answered all of the worker's questions so far. */
  let answered = Promise.resolve();

  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'progress') onProgress(message.rows);
    else if (message.kind === 'numbers') answered = answered.then(() => answer(message));
    else if (message.kind === 'checked') checked.resolve(message.checked);
    else waiting?.resolve(message);
  });
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    hasEnded = true;
    checked.reject(failure);
    waiting?.reject(new Error(ENDED));
    gone.resolve();
  });

  async function answer({ phones }: FromWorker & { kind: 'numbers' }): Promise<void> {
    // Node hands over waiting messages all at once. Let other work run first, since a look-up may hold up the thread.
    await sleep();
    if (hasEnded) return;
    const left = leaveOut ? await leaveOut(phones) : [];
    post({ kind: 'leave_out', phones: left });
  }

  function ask(kind: Which): Promise<FromWorker> {
    if (hasEnded) throw new Error(ENDED);
    waiting = Promise.withResolvers();
    post({ kind });
    return waiting.promise;
  }

  function post(message: ToWorker): void {
    worker.postMessage(message);
  }

  return {
    /** Rejects if the worker ends before it has checked the list. The error may quote the list. */
    checked: checked.promise,
    /** Resolves once it has ended. */
    gone: gone.promise,
    /** Hands out each chunk once, a few at a time; throws when the worker dies meanwhile. */
    async *chunks(which: Which = 'to_send'): AsyncGenerator<LedgerMessage[][]> {
      for (;;) {
        const answer = await ask(which);
        if (answer.kind !== 'chunks' || answer.chunks.length === 0) return;
        yield answer.chunks;
      }
    },
    /** Ends the worker, whatever it does. */
    async close(): Promise<void> {
      await worker.terminate();
    },
  };
}

/** The bot's cache of compiled files, if it has one. Without a cache, the thread of each list compiles for 0.2 s. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
