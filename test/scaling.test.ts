import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writesIn } from '../bench/scaling/append-only-file.ts';
import type { Cost } from '../bench/scaling/cost.ts';
import type { Costs } from '../bench/scaling/costs.ts';
import type { CrowdStep } from '../bench/scaling/crowd-steps.ts';
import { busiestSecond, DEMAND, taken, wholeDay } from '../bench/scaling/needs.ts';
import { fillPage } from '../bench/scaling/page.ts';
import type { Stays } from '../bench/scaling/stays.ts';
import { costsTable, crowdTable, needsTable, staysTable } from '../bench/scaling/tables.ts';

const cost = (figure: number): Cost => ({
  service: figure,
  slack: figure,
  trips: figure,
  commands: figure,
  writes: figure,
  bytesIn: figure,
  bytesOut: figure,
  memory: figure,
  fileBytes: figure,
  redisMs: figure,
  botMs: figure,
});
const COSTS: Costs = {
  idle: cost(1),
  command: cost(1),
  link: cost(1),
  poll: cost(1),
  single: cost(4),
  recipient: cost(0.5),
};
const STAYS: Stays = { single: { whole: 2000, rest: 1000 }, recipient: { whole: 200, rest: 100 } };
const STEP: CrowdStep = {
  instances: 200,
  bots: 1,
  pollsDue: 1,
  textsPerSecond: 1,
  slowedBy: 1,
  crowd: {
    recordBytes: 1000,
    aSecond: cost(1),
    report: {
      seconds: 10,
      polls: 10,
      pollsPerSecond: 1,
      due: 10,
      sent: 10,
      waits: [100, 200],
      troubles: {},
      outboxLagMs: 0,
    },
  },
};

describe('docs/scaling.md', () => {
  const page = readFileSync(new URL('../docs/scaling.md', import.meta.url), 'utf8');

  it.each([
    ['costs', costsTable(COSTS), 0],
    ['needs', needsTable(COSTS, 1000), 0],
    ['stays', staysTable(STAYS), 0],
    ['crowd', crowdTable([STEP]), 1],
  ])('has the table of %s as the bench writes it', (name, table, rowsThatCount) => {
    const written = cells(page.split(`<!-- ${name} -->`)[1]?.split(`<!-- end of ${name} -->`)[0] ?? '');
    const made = cells(table);
    expect(written[0]).toEqual(made[0]);
    if (rowsThatCount === 0) expect(written.map(([what]) => what)).toEqual(made.map(([what]) => what));
    for (const row of written) expect(row).toHaveLength(made[0]?.length ?? 0);
  });

  it('has a place for everything that the bench writes', () => {
    const texts = { setting: 'a', costs: 'b', needs: 'c', stays: 'd', crowd: 'e' };
    const filled = fillPage(page, texts);
    for (const text of Object.values(texts)) expect(filled).toContain(`-->\n\n${text}\n\n<!-- end`);
    expect(() => fillPage(page, { elsewhere: '' })).toThrow('no place for elsewhere');
  });
});

function cells(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split(/ ?\| ?/).slice(1, -1));
}

describe('the cost of a demand', () => {
  it('is how often each thing happens, times the cost of one; a single text reads the balance too', () => {
    const demand = { ...DEMAND, instances: 600, pollMs: 60_000, textsADay: 36_000, singleShare: 0.5 };
    expect(busiestSecond(demand)).toEqual({ poll: 10, single: 0.5, recipient: 0.5 });
    expect(taken(busiestSecond(demand), COSTS, 'trips')).toEqual({
      total: 10 + 2.5 + 0.25,
      terms: [
        [10, 1],
        [0.5, 5],
        [0.5, 0.5],
      ],
    });
    expect(wholeDay(demand)).toEqual({ poll: 864_000, single: 18_000, recipient: 18_000 });
  });
});

describe('what stays', () => {
  it('is words and numbers for 90 days, the rest for 400, and the look-up', () => {
    const said = staysTable(STAYS);
    expect(said).toContain('100,000 × (90 × 2 KB + 310 × 1 KB) = 49 GB');
    expect(said).toContain('900,000 × (90 × 200 B + 310 × 100 B) = 44.1 GB');
    expect(said).toContain('1,000,000 × 400 × 28.3 B = 11.3 GB');
    expect(said).toContain(
      '**104 GB**; with `LOOKUP_DAYS=90` it is 36.7 GB, and 60.3 GB where all are in lists',
    );
  });
});

describe('synced writes', () => {
  it('are commands, and scripts as one, of an append-only file', () => {
    const command = (...words: string[]) =>
      `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
    const file = [
      command('SELECT', '0'),
      command('SET', 'key', 'a\r\n*1\r\n'),
      command('MULTI'),
      command('HSET', 'key', 'field', '1'),
      command('DEL', 'key'),
      command('EXEC'),
    ].join('');
    expect(writesIn(Buffer.from(file))).toBe(2);
    expect(() => writesIn(Buffer.from('REDIS0009'))).toThrow();
  });
});
