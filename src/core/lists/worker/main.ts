import { parentPort, workerData } from 'node:worker_threads';
import { checkList } from '../check-list.ts';
import type { FromWorker, ToWorker, WorkerTask } from './messages.ts';

/** Checks one list away from the main thread, and hands out its chunks as they are asked for. */

const PROGRESS_MS = 250;
const CHUNKS_AT_ONCE = 10;

function post(message: FromWorker): void {
  const file = message.kind === 'checked' && 'wrongCsv' in message.checked && message.checked.wrongCsv;
  // Handed over, not copied: it may be larger than the list.
  parentPort?.postMessage(message, file ? [file.buffer as ArrayBuffer] : []);
}

const { asksNumbers, ...request } = workerData as WorkerTask;
/** Takes the answer to each question about numbers. */
const waiting = new Map<number, (phones: string[]) => void>();
let questions = 0;

function leaveOut(phones: string[]): Promise<string[]> {
  const id = questions++;
  post({ kind: 'numbers', id, phones });
  return new Promise((answer) => waiting.set(id, answer));
}

let toldAt = performance.now();
function tell(rows: number): void {
  if (performance.now() - toldAt < PROGRESS_MS) return;
  toldAt = performance.now();
  post({ kind: 'progress', rows });
}

function takeAnswer(asked: ToWorker): void {
  if (asked.kind === 'leave_out') waiting.get(asked.id)?.(asked.phones);
}

parentPort?.on('message', takeAnswer);
const checked = await checkList(request, tell, asksNumbers ? leaveOut : undefined);
parentPort?.off('message', takeAnswer);

if (checked.kind === 'list') {
  const { chunks, leftOut: chunksLeftOut, ...list } = checked;
  let reading = chunks();
  parentPort?.on('message', (asked: ToWorker) => {
    if (asked.kind === 'first') reading = chunks();
    if (asked.kind === 'left_out') reading = chunksLeftOut();
    const some = Array.from({ length: CHUNKS_AT_ONCE }, () => reading.next()).flatMap(({ done, value }) =>
      done ? [] : [value],
    );
    post({ kind: 'chunks', chunks: some });
  });
  post({ kind: 'checked', checked: list });
} else {
  post({ kind: 'checked', checked });
}
