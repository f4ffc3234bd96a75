import { expect, test } from 'vitest';
import type { HistoryLine } from '../../../src/core/history/history-lines.ts';
import { historyFiles } from '../../../src/slack/files/history-file.ts';

interface HistoryFile {
  part: number;
  name: string;
  bytes: Uint8Array;
  rows: number;
  isLast: boolean;
}

const AT = Date.UTC(2026, 2, 4, 14, 2);

function aLine(over: Partial<HistoryLine> = {}, result: Partial<HistoryLine['result']> = {}): HistoryLine {
  return {
    send: 'send-1',
    channel: 'C1',
    by: 'UANA',
    decidedAt: AT,
    isWhole: true,
    ...over,
    result: { e164: '+442079460958', state: 'sent', messageId: 4711, credits: 1, at: AT + 1000, ...result },
  };
}

async function filesOf(steps: HistoryLine[][], options: { timeZone?: string; rowsPerFile?: number } = {}) {
  const files: HistoryFile[] = [];
  const counted: number[] = [];
  async function* lines() {
    yield* steps;
  }
  const made = historyFiles(lines(), {
    timeZone: 'UTC',
    nameOf: async (user) => (user === 'UANA' ? 'Ana' : '=EVIL()'),
    onRows: (rows) => counted.push(rows),
    ...options,
  });
  for await (const file of made) files.push(file);
  return { files, counted };
}

const rowsOf = ({ bytes }: HistoryFile) =>
  Buffer.from(bytes).toString('utf8').replace('\uFEFF', '').trim().split('\r\n');

test('one file of few lines: figures, times of the zone, and cells that no spreadsheet runs', async () => {
  const refused = aLine({ by: 'UEVIL' }, { state: 'rejected', row: 7, words: '@no, this' });
  const { files } = await filesOf([[aLine()], [], [refused]], { timeZone: 'Europe/Berlin' });
  expect(files).toMatchObject([{ name: 'history.csv', part: 1, rows: 2, isLast: true }]);
  expect(files.flatMap(rowsOf)).toEqual([
    'decided (Europe/Berlin),channel,by,phone,outcome,message id,credits,answered (Europe/Berlin),reason,row in list,reference,approved by,approval asked (Europe/Berlin)',
    '2026-03-04 15:02:00,C1,Ana,(+44) 2079460958,sent,4711,1,2026-03-04 15:02:01,,,send-1,,',
    `2026-03-04 15:02:00,C1,'=EVIL(),(+44) 2079460958,rejected,4711,1,2026-03-04 15:02:01,"'@no, this",7,send-1,,`,
  ]);
});

test('a person who may not see a number sees its last digits, and no words that may quote it', async () => {
  const hidden = aLine({ isWhole: false }, { state: 'rejected', words: '+442079460958 is no phone' });
  const { files } = await filesOf([[hidden]]);
  expect(files.flatMap(rowsOf)[1]).toBe(
    '2026-03-04 14:02:00,C1,Ana,···0958,rejected,4711,1,2026-03-04 14:02:01,,,send-1,,',
  );
});

test('a text that a second person approved says who approved it, and when that was asked for', async () => {
  const approved = { by: 'UEVIL', askedAt: AT - 60_000 };
  const { files } = await filesOf([[aLine({ approved })]]);
  expect(files.flatMap(rowsOf)[1]).toMatch(/,send-1,'=EVIL\(\),2026-03-04 14:01:00$/);
});

test('many lines come in parts, each with its header, and are counted as they go', async () => {
  const steps = Array.from({ length: 5 }, () => [aLine(), aLine()]);
  const { files, counted } = await filesOf(steps, { rowsPerFile: 4 });
  expect(files.map(({ name, rows, isLast }) => ({ name, rows, isLast }))).toEqual([
    { name: 'history-1.csv', rows: 4, isLast: false },
    { name: 'history-2.csv', rows: 4, isLast: false },
    { name: 'history-3.csv', rows: 2, isLast: true },
  ]);
  expect(files.map((file) => rowsOf(file).length)).toEqual([5, 5, 3]);
  expect(counted).toEqual([2, 2, 2, 2, 2]);
  const even = await filesOf(steps.slice(0, 2), { rowsPerFile: 4 });
  expect(even.files).toMatchObject([{ name: 'history.csv', rows: 4, isLast: true }]);
});

test('no line makes no file', async () => {
  expect((await filesOf([[], []])).files).toEqual([]);
});
