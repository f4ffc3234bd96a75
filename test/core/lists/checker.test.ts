import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createListChecker } from '../../../src/core/lists/checker.ts';
import type { ListAnswer, ListFault, ListInput, SendableList } from '../../../src/core/lists/list.ts';
import { startWorker } from '../../../src/core/lists/worker/start.ts';
import { ROW_WORDS } from '../../../src/slack/ui/lists/words-in-files.ts';
import { file, pasted, readList } from '../helpers/lists.ts';

const ROWS = 100_000;

/** A log that keeps its lines. */
function keptLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) };
}

function input(content: string | Uint8Array, template = 'Hi {name}'): ListInput {
  return { source: file(content), template, mostCharacters: 1000, chunkSize: 100, words: ROW_WORDS };
}

function manyRows(count = ROWS): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `+4915112${100_000 + index},Customer ${index},"a, b"`,
  );
  return `phone,name,more\r\n${rows.join('\r\n')}\r\n`;
}

/** Closes the list, if the answer has one. */
async function close(checked: ListAnswer): Promise<void> {
  if (checked.kind === 'list') await checked.close();
}

describe('a file of 100,000 rows', () => {
  it('is checked while everything else goes on, and handed out bit by bit', async () => {
    const { log } = keptLog();
    const checker = createListChecker({ log });
    const progress: number[] = [];
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    const checked = await checker.check(input(manyRows()), (rows) => progress.push(rows));
    clearInterval(timer);
    expect(checked).toMatchObject({ kind: 'list', summary: { rows: ROWS, toSend: ROWS } });
    expect(ticks).toBeGreaterThan(5);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));

    if (checked.kind !== 'list') return;
    let next = 0;
    for await (const chunks of checked.chunks()) {
      expect(chunks.length).toBeLessThanOrEqual(10);
      for (const chunk of chunks) {
        expect(chunk).toHaveLength(100);
        expect(chunk[0]).toEqual({
          phone: `4915112${100_000 + next}`,
          row: next + 2,
          text: `Hi Customer ${next}`,
        });
        next += chunk.length;
      }
    }
    expect(next).toBe(ROWS);
    await checked.close();
  });
});

it('a list can be given back before it was read', async () => {
  const checked = await createListChecker(keptLog()).check(input(manyRows(5000)));
  if (checked.kind !== 'list') throw new Error(checked.kind);
  for await (const chunks of checked.chunks()) {
    expect(chunks).toHaveLength(10);
    break;
  }
  await checked.close();
  await checked.close();
});

describe.each([
  ['a file', (content: string): ListInput => input(content)],
  ['a pasted list', (content: string): ListInput => ({ ...input(content), source: pasted(content) })],
])('numbers of %s to be left out', (_, inputOf) => {
  it('are asked for during the check, and the figures are of the rest, whichever answer comes first', async () => {
    const asked: string[][] = [];
    const isOut = (phone: string) => Number(phone) % 7 === 0;
    const leaveOut = async (phones: string[]) => {
      asked.push(phones);
      await sleep(asked.length === 1 ? 50 : 0);
      return phones.filter(isOut);
    };
    const checker = createListChecker(keptLog());
    const checked = await checker.check({ ...inputOf(manyRows(2500)), leaveOut });
    if (checked.kind !== 'list') throw new Error(checked.kind);
    const rows = manyRows(2500).split('\r\n');
    const kept = rows.filter((row) => !row.startsWith('+') || !isOut(row.slice(1, row.indexOf(','))));
    const rest = await checker.check(inputOf(kept.join('\r\n')));
    if (rest.kind !== 'list') throw new Error(rest.kind);

    expect(asked.flat()).toHaveLength(2500);
    expect(Math.max(...asked.map(({ length }) => length))).toBe(250);
    expect(checked.leftOut.map(({ phone }) => phone)).toEqual(asked.flat().filter(isOut));
    expect(checked.leftOut.length).toBeGreaterThan(300);
    const { samples: _samples, rows: _rows, ...figures } = rest.summary;
    expect(checked.summary).toMatchObject({ ...figures, rows: 2500 });
    const texts = async (list: SendableList) =>
      (await Array.fromAsync(list.chunks())).flat(2).map(({ phone, text }) => [phone, text]);
    expect(await texts(checked)).toEqual(await texts(rest));
    await checked.close();
    await rest.close();
  });

  it('that can not be looked up fail the check with the reason, and the next list is checked', async () => {
    const { log, lines } = keptLog();
    const checker = createListChecker({ log });
    const leaveOut = async () => {
      await sleep(1);
      throw new Error('the store is away');
    };
    for (let list = 0; list < 3; list++) {
      const checking = checker.check({ ...inputOf(manyRows(2500)), leaveOut });
      await expect(checking).rejects.toThrow('the store is away');
    }
    expect(lines).toEqual([]);
    await close(await checker.check(inputOf('phone,name\n+447700900001,Ana')));
  });
});

describe('a list that is over before its numbers were looked up', () => {
  const NEVER = new Promise<string[]>(() => {});
  const ENDS: [string, string, ListFault['code']][] = [
    ['an open quotation mark', `${manyRows(2500)}+447700900001,"Ana`, 'open_quote'],
    // The filled-in text is too long for a string.
    ['the end of its worker', `${manyRows(2500)}+447700900001,${'secret '.repeat(1_000_000)}`, 'unreadable'],
  ];

  it.each(ENDS)(
    'by %s: nobody waits for the answers, and the next lists are checked',
    async (_, content, code) => {
      const { log, lines } = keptLog();
      const checker = createListChecker({ log });
      let asked = 0;
      const leaveOut = () => {
        asked += 1;
        return NEVER;
      };
      for (let list = 0; list < 3; list++) {
        const checked = await checker.check({
          ...input(content, '{name}'.repeat(100)),
          leaveOut,
          mostCharacters: 10_000,
        });
        expect(checked).toMatchObject({ kind: 'problem', code });
      }
      expect(asked).toBe(3);
      expect(lines.join()).not.toMatch(/secret|447700/);
    },
  );

  it.each(['answer', 'error'])(
    'by the end of its worker: an %s that comes after that does no harm',
    async (what) => {
      const checker = createListChecker(keptLog());
      const content = ENDS[1]?.[1] ?? '';
      const told = Promise.withResolvers<string[]>();
      const leaveOut = () => told.promise;
      const given = { ...input(content, '{name}'.repeat(100)), leaveOut, mostCharacters: 10_000 };
      expect(await checker.check(given)).toMatchObject({ kind: 'problem', code: 'unreadable' });
      if (what === 'answer') told.resolve([]);
      else told.reject(new Error('the store is away'));
      await sleep(20);
    },
  );
});

describe('the workers', () => {
  it('are two at most: a third list waits until one is closed', async () => {
    const checker = createListChecker(keptLog());
    const small = () => checker.check(input('phone,name\n+447700900001,Ana'));
    const [first, second] = await Promise.all([small(), small()]);
    let isThere = false;
    const third = small().then((checked) => {
      isThere = true;
      return checked;
    });
    await sleep(500);
    expect(isThere).toBe(false);
    await close(first);
    expect(await third).toMatchObject({ kind: 'list' });
    await close(second);
    await close(await third);
  });

  it('lose nothing else when they die: the list is unreadable, and the log has only the reason', async () => {
    const { log, lines } = keptLog();
    const checker = createListChecker({ log });
    // The filled-in text is too long for a string.
    const huge = input(`phone,name\n+447700900001,${'secret '.repeat(1_000_000)}`, '{name}'.repeat(100));
    expect(await checker.check(huge)).toMatchObject({ kind: 'problem', field: 'file', code: 'unreadable' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('RangeError');
    expect(lines[0]).not.toMatch(/secret|447700|stack/);
    await close(await checker.check(input('phone,name\n+447700900001,Ana')));
  });

  it('fail the reading of chunks when they end meanwhile', async () => {
    const bytes = new TextEncoder().encode('phone\n+447700900001\n+447700900002');
    const request = { ...input(bytes, 'x'), source: 'file' as const, bytes };
    const worker = startWorker(request, () => {});
    expect(await worker.checked).toMatchObject({ kind: 'list' });
    await worker.close();
    await worker.gone;
    await expect(worker.chunks().next()).rejects.toThrow('has ended');
  });

  it('hand out the left-out rows bit by bit, too: nobody else waits while a long list comes over', async () => {
    const bytes = new TextEncoder().encode(manyRows(5000));
    const request = { ...input(bytes), source: 'file' as const, bytes };
    const worker = startWorker(
      request,
      () => {},
      async (phones) => phones.slice(1),
    );
    const checked = await worker.checked;
    expect(JSON.stringify(checked).length).toBeLessThan(2000);
    const pages = await Array.fromAsync(worker.chunks('left_out'));
    expect(pages.map((chunks) => chunks.flat().length)).toEqual([1000, 1000, 1000, 1000, 980]);
    expect((await Array.fromAsync(worker.chunks())).flat(2)).toHaveLength(20);
    await worker.close();
  });

  it('ask about numbers in one turn of the event loop after another, however many questions have come', async () => {
    const bytes = new TextEncoder().encode(manyRows(8000));
    let turn = 0;
    const turns = setInterval(() => {
      turn += 1;
    }, 0);
    const askedIn: number[] = [];
    const leaveOut = async () => {
      // The worker goes on while this thread is blocked.
      if (askedIn.push(turn) === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
      return [];
    };
    const worker = startWorker({ ...input(bytes), source: 'file', bytes }, () => {}, leaveOut);
    expect(await worker.checked).toMatchObject({ kind: 'list' });
    clearInterval(turns);
    expect(askedIn).toHaveLength(32);
    expect(new Set(askedIn).size).toBe(32);
    await worker.close();
  });

  it('read bytes that share their memory with others, too', async () => {
    const around = new TextEncoder().encode('xxphone\n+447700900001xx');
    const source = { kind: 'file' as const, name: 'list.csv', bytes: around.subarray(2, -2) };
    expect((await readList(source)).messages).toEqual([{ phone: '447700900001', row: 2, text: 'Hello' }]);
    expect(around).toHaveLength(23);
  });

  it('answer for any bytes', async () => {
    const checker = createListChecker(keptLog());
    const bytes = fc.uint8Array({ maxLength: 3000, size: 'max' });
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const checked = await checker.check(input(content));
        expect(['problem', 'which_column', 'nothing', 'list']).toContain(checked.kind);
        await close(checked);
      }),
      { numRuns: 15 },
    );
  });
});
