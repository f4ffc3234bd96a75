import { parentPort, workerData } from 'node:worker_threads';
import { type CheckRequest, checkList } from '../check-list.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** Checks one list away from the main thread, and hands out its chunks as they are asked for. */

const PROGRESS_MS = 250;
const CHUNKS_AT_ONCE = 10;

function post(message: FromWorker): void {
  const file = message.kind === 'checked' && 'wrongCsv' in message.checked && message.checked.wrongCsv;
  // Handed over, not copied: it may be larger than the list.
  parentPort?.postMessage(message, file ? [file.buffer as ArrayBuffer] : []);
}

let toldAt = performance.now();
const checked = await checkList(workerData as CheckRequest, (rows) => {
  if (performance.now() - toldAt < PROGRESS_MS) return;
  toldAt = performance.now();
  post({ kind: 'progress', rows });
});

if (checked.kind === 'list') {
  const { chunks, leaveOut, ...list } = checked;
  let reading = chunks();
  parentPort?.on('message', (asked: ToWorker) => {
    if (asked.kind === 'leave_out') return post({ kind: 'rest', summary: leaveOut(asked.phones) });
    if (asked.kind === 'first') reading = chunks();
    const some = Array.from({ length: CHUNKS_AT_ONCE }, () => reading.next()).flatMap(({ done, value }) =>
      done ? [] : [value],
    );
    post({ kind: 'chunks', chunks: some });
  });
  post({ kind: 'checked', checked: list });
} else {
  post({ kind: 'checked', checked });
}
