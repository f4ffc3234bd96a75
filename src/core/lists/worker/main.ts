import { parentPort, workerData } from 'node:worker_threads';
import { checkList } from '../check-list.ts';
import type { FromWorker, ToWorker, Which, WorkerTask } from './messages.ts';

/** Checks one list away from the main thread, and hands out its chunks as they are asked for. */

const PROGRESS_MS = 250;
const CHUNKS_AT_ONCE = 10;

function post(message: FromWorker): void {
  const file = message.kind === 'checked' && 'wrongCsv' in message.checked && message.checked.wrongCsv;
  // Handed over, not copied: it may be larger than the list.
  parentPort?.postMessage(message, file ? [file.buffer as ArrayBuffer] : []);
}

const { asksNumbers, ...request } = workerData as WorkerTask;
/** Resolve our open questions about numbers. The answers come in the order of the questions. */
const waiting: ((phones: string[]) => void)[] = [];

function leaveOut(phones: string[]): Promise<string[]> {
  post({ kind: 'numbers', phones });
  return new Promise((answer) => waiting.push(answer));
}

let toldAt = performance.now();
function tell(rows: number): void {
  if (performance.now() - toldAt < PROGRESS_MS) return;
  toldAt = performance.now();
  post({ kind: 'progress', rows });
}

function takeAnswer(asked: ToWorker): void {
  if (asked.kind === 'leave_out') waiting.shift()?.(asked.phones);
}

parentPort?.on('message', takeAnswer);
const checked = await checkList(request, tell, asksNumbers ? leaveOut : undefined);
parentPort?.off('message', takeAnswer);

if (checked.kind === 'list') {
  const { chunks, leftOut, ...list } = checked;
  const readers = { to_send: chunks(), left_out: leftOut() };
  parentPort?.on('message', ({ kind }: ToWorker & { kind: Which }) => {
    const some = Array.from({ length: CHUNKS_AT_ONCE }, () => readers[kind].next());
    post({ kind: 'chunks', chunks: some.flatMap(({ done, value }) => (done ? [] : [value])) });
  });
  post({ kind: 'checked', checked: list });
} else {
  post({ kind: 'checked', checked });
}
