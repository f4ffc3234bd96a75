import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createListChecker } from '../../../src/core/lists/checker.ts';
import type { ListAnswer, ListInput } from '../../../src/core/lists/list.ts';
import { startWorker } from '../../../src/core/lists/worker/start.ts';
import { ROW_WORDS } from '../../../src/slack/ui/lists/file-words.ts';
import { file, readList } from '../helpers/lists.ts';

const ROWS = 100_000;

/** A log whose lines are kept. */
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

/** Gives a list back whatever it is. */
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

describe('the workers', () => {
  it('are two at most: a third list waits until one is given back', async () => {
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

  it('take nothing with them when they die: the list is unreadable, and the log says no more than why', async () => {
    const { log, lines } = keptLog();
    const checker = createListChecker({ log });
    // A text that no string can hold.
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

  it('read bytes that share their memory with others, too', async () => {
    const around = new TextEncoder().encode('xxphone\n+447700900001xx');
    const source = { kind: 'file' as const, name: 'list.csv', bytes: around.subarray(2, -2) };
    expect((await readList(source)).messages).toEqual([{ phone: '447700900001', row: 2, text: 'Hello' }]);
    expect(around).toHaveLength(23);
  });

  it('answer for whatever bytes there are', async () => {
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
