import { Worker } from 'node:worker_threads';
import type { LedgerMessage } from '../../../ledger/model/types.ts';
import type { CheckRequest } from '../check-list.ts';
import type { ListSummary } from '../list.ts';
import type { FromWorker, ToWorker, WorkerAnswer } from './messages.ts';

/** A list being checked in a thread of its own. */
export interface RunningCheck {
  /** `died`: it ended on its own. Never rejects. */
  checked: Promise<WorkerAnswer | { kind: 'died'; error: Error }>;
  /** A few chunks at a time, as they are read; throws when the worker dies meanwhile. */
  chunks(): AsyncGenerator<LedgerMessage[][]>;
  /** As `SendableList.leaveOut`; throws likewise. */
  leaveOut(phones: string[]): Promise<ListSummary | undefined>;
  /** Ends the worker, whatever it does. */
  close(): Promise<void>;
  /** Resolves once it has ended. */
  gone: Promise<void>;
}

const ENDED = 'the thread that held the list has ended';
/** Enough for a million rows; a list that needs more ends its worker and nothing else. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };

/** Starts a worker on a list. The bytes are handed over: they can't be read here any more. */
export function startWorker(request: CheckRequest, onProgress: (rows: number) => void): RunningCheck {
  const bytes = isWhole(request.bytes) ? request.bytes : new Uint8Array(request.bytes);
  const worker = new Worker(new URL('./main.ts', import.meta.url), {
    workerData: { ...request, bytes },
    transferList: [bytes.buffer],
    resourceLimits: LIMITS,
    env: {},
  });
  const checked = Promise.withResolvers<WorkerAnswer | { kind: 'died'; error: Error }>();
  const gone = Promise.withResolvers<void>();
  /** Whoever has asked the worker; one asks at a time. */
  let waiting: PromiseWithResolvers<FromWorker> | undefined;
  let hasEnded = false;

  function end(error: Error): void {
    hasEnded = true;
    checked.resolve({ kind: 'died', error });
    waiting?.reject(new Error(ENDED));
  }
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'progress') onProgress(message.rows);
    else if (message.kind === 'checked') checked.resolve(message.checked);
    else waiting?.resolve(message);
  });
  worker.on('error', end);
  worker.on('exit', () => {
    end(new Error(ENDED));
    gone.resolve();
  });

  function ask(asked: ToWorker): Promise<FromWorker> {
    if (hasEnded) throw new Error(ENDED);
    waiting = Promise.withResolvers();
    worker.postMessage(asked);
    return waiting.promise;
  }

  return {
    checked: checked.promise,
    gone: gone.promise,
    async *chunks() {
      for (let kind: 'first' | 'more' = 'first'; ; kind = 'more') {
        const answer = await ask({ kind });
        if (answer.kind !== 'chunks' || answer.chunks.length === 0) return;
        yield answer.chunks;
      }
    },
    async leaveOut(phones) {
      const answer = await ask({ kind: 'leave_out', phones });
      return answer.kind === 'rest' ? answer.summary : undefined;
    },
    async close() {
      await worker.terminate();
    },
  };
}

/** Only a buffer of their own can be handed over: small ones share theirs with others. */
function isWhole(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer;
}
