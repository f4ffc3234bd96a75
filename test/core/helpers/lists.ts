import { pino } from 'pino';
import { type CheckRequest, checkList } from '../../../src/core/lists/check-list.ts';
import { createListChecker } from '../../../src/core/lists/checker.ts';
import type { ListAnswer, ListInput, ListProblem, ListSource } from '../../../src/core/lists/list.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';
import { listProblemSentence } from '../../../src/slack/ui/lists/list-problems.ts';
import { ROW_WORDS } from '../../../src/slack/ui/lists/words-in-files.ts';

/** A checked list, read whole. */
export interface WholeList {
  checked: Omit<ListAnswer, 'chunks' | 'close'>;
  messages: LedgerMessage[];
  chunks: LedgerMessage[][];
  wrongCsv: string;
}

const PLAIN = { template: 'Hello', mostCharacters: 1000, chunkSize: 100, words: ROW_WORDS };
const log = pino({ level: 'silent' });

export function pasted(text: string): ListSource {
  return { kind: 'pasted', text };
}

export function file(content: string | Uint8Array): ListSource {
  return { kind: 'file', name: 'list.csv', bytes: new Uint8Array(Buffer.from(content as string)) };
}

/** Checks a list like the product, a file in a worker, and reads everything in the answer. */
export async function readList(
  source: ListSource,
  options: Partial<Omit<ListInput, 'source'>> = {},
  checker = createListChecker({ log }),
): Promise<WholeList> {
  const checked = await checker.check({ source, ...PLAIN, ...options });
  const chunks: LedgerMessage[][] = [];
  if (checked.kind === 'list') {
    for await (const some of checked.chunks()) chunks.push(...some);
    await checked.close();
  }
  return { checked, chunks, messages: chunks.flat(), wrongCsv: csvOf(checked) };
}

/** Checks a file in this thread. */
export async function readHere(
  content: string | Uint8Array,
  options: Partial<CheckRequest> = {},
): Promise<WholeList> {
  const bytes = new Uint8Array(Buffer.from(content as string));
  const checked = await checkList({ source: 'file', bytes, ...PLAIN, ...options }, () => {});
  const chunks: LedgerMessage[][] = [];
  if (checked.kind === 'list') {
    const read = checked.chunks();
    for (let next = read.next(); !next.done; next = read.next()) chunks.push(next.value);
  }
  return { checked, chunks, messages: chunks.flat(), wrongCsv: csvOf(checked) };
}

function csvOf(checked: { wrongCsv?: Uint8Array } | object): string {
  return 'wrongCsv' in checked ? Buffer.from(checked.wrongCsv as Uint8Array).toString() : '';
}

/** What people read about a list that the bot can't use. */
export function sentenceOf(checked: { kind: string }): string {
  if (checked.kind !== 'problem') throw new Error(`there is no problem: ${checked.kind}`);
  return listProblemSentence(checked as ListProblem);
}
