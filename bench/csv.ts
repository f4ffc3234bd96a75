import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { createListChecker } from '../src/core/lists/checker.ts';
import { ROW_WORDS } from '../src/slack/ui/lists/words-in-files.ts';
import { inMs, ratioOf, type Section } from './figures.ts';
import { interleaved } from './interleaved.ts';
import { recipientsCsv } from './recipients.ts';

const ROWS = 100_000;
const TEMPLATE = 'Hello {name}, your code is {code}.';

/** The time from a file of 100,000 recipients to its preview. */
export async function benchCsv(): Promise<Section> {
  const file = recipientsCsv(ROWS);
  const checker = createListChecker({ log: pino({ level: 'silent' }) });

  async function ours(): Promise<number> {
    const begun = performance.now();
    // The thread takes the bytes over, so each run needs new ones.
    const checked = await checker.check({
      source: { kind: 'file', name: 'list.csv', bytes: file.slice() },
      template: TEMPLATE,
      mostCharacters: 1000,
      chunkSize: 100,
      words: ROW_WORDS,
    });
    if (checked.kind !== 'list') throw new Error(`the list was not taken: ${checked.kind}`);
    let messages = 0;
    for await (const chunks of checked.chunks()) messages += chunks.flat().length;
    const ms = performance.now() - begun;
    await checked.close();
    expectAll(messages);
    return ms;
  }

  async function bare(): Promise<number> {
    const begun = performance.now();
    const worker = new Worker(new URL('./csv-bare.ts', import.meta.url), { workerData: file });
    const [valid] = await once(worker, 'message');
    const ms = performance.now() - begun;
    await worker.terminate();
    expectAll(valid as number);
    return ms;
  }

  const took = await interleaved({ bare, ours });
  return {
    title: 'A file of 100,000 recipients, to its preview',
    means:
      'From the bytes to the preview’s figures and every filled-in message, three columns and two placeholders, ' +
      'against csv-parse and libphonenumber-js/max alone: parse the file, say of each number whether it is valid. ' +
      'Both in a fresh worker thread, whose start counts.',
    figures: [
      ratioOf('100,000 rows', { ours: took.ours, theirs: took.bare, shown: inMs, target: { atMost: 2 } }),
    ],
  };
}

function expectAll(found: number): void {
  if (found !== ROWS) throw new Error(`${found} of ${ROWS} recipients were found`);
}
