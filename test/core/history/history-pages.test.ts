import { describe, expect, test } from 'vitest';
import type { Person } from '../../../src/core/accounts/permissions.ts';
import {
  type HistoryCursor,
  type HistoryPage,
  historyPage,
  MOST_DOCUMENTS,
} from '../../../src/core/history/history-pages.ts';
import type { HistoryAsked, HistoryFilter } from '../../../src/core/history/history-query.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { NewSend } from '../../../src/ledger/model/decision-types.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { ADMIN, ANA, BEN } from '../../helpers/core-people.ts';
import { aSingle, type HandClock, handClock, LIMITS } from '../../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../../helpers/memory-engine.ts';
import { counting } from '../../ledger/counting-engine.ts';

const PHONE = '442079460958';
function filled() {
  const clock = handClock();
  const engine = counting(createMemoryEngine(clock.now));
  const ledger = createLedger(createSteps(engine), LIMITS);
  return { clock, engine, ledger };
}

async function decide(ledger: Ledger, clock: HandClock, send: NewSend, by: Person = ANA): Promise<void> {
  await ledger.draft(send);
  await ledger.decide(send.id, { to: 'running', by: by.id });
  clock.advance(1);
}

const to = (phone: string) => [[{ phone, text: 'Hello' }]];

/** The pages from the newest to the oldest, as **Older** shows them. */
async function walk(ledger: Ledger, asked: HistoryAsked): Promise<HistoryPage[]> {
  const pages: HistoryPage[] = [];
  for (let cursor: HistoryCursor | undefined; ; ) {
    const page = await historyPage(ledger, asked, cursor);
    pages.push(page);
    cursor = page.older;
    if (!cursor) return pages;
  }
}

/** The pages back to the newest, as **Newer** shows them. */
async function walkBack(ledger: Ledger, asked: HistoryAsked, last: HistoryPage): Promise<HistoryPage[]> {
  const pages: HistoryPage[] = [];
  for (let cursor = last.newer; cursor; ) {
    const page = await historyPage(ledger, asked, cursor);
    pages.unshift(page);
    cursor = page.newer;
  }
  return pages;
}

const idsOf = (pages: HistoryPage[]) => pages.flatMap(({ rows }) => rows.map(({ id }) => id));
const asked = (filter: HistoryFilter = {}, person: Person = ANA): HistoryAsked => ({
  channel: 'C1',
  filter,
  person,
});

describe('pages of a thousand texts', async () => {
  const { clock, engine, ledger } = filled();
  const begun = clock.now();
  const ids: string[] = [];
  for (let i = 0; i < 1203; i += 1) {
    const id = `s${i}`;
    const isTo = i % 401 === 1;
    await decide(
      ledger,
      clock,
      aSingle(id, { chunks: to(isTo ? PHONE : '447700900100') }),
      i % 7 === 0 ? BEN : ANA,
    );
    ids.unshift(id);
  }

  test('are full, each text is on one, and the way back shows the same', async () => {
    const pages = await walk(ledger, asked());
    expect(idsOf(pages)).toEqual(ids);
    expect(pages.slice(0, -1).every(({ rows }) => rows.length === 10)).toBe(true);
    const last = pages.at(-1);
    const back = last ? await walkBack(ledger, asked(), last) : [];
    // The newest page is always full, so the pages before it may begin at other texts.
    expect([...new Set(idsOf(back))]).toEqual(ids.slice(0, -3));
    expect(back[0]).toMatchObject({ rows: pages[0]?.rows });
    expect(back[0]?.newer).toBeUndefined();
  });

  test('a page reads one text more than it shows, however many there are', async () => {
    const before = engine.count.documents;
    await historyPage(ledger, asked());
    expect(engine.count.documents - before).toBe(11);
  });

  test('a filter searches in bounded steps, which say how far they came and find each text once', async () => {
    const { length } = ids.filter((_, index) => (ids.length - 1 - index) % 7 === 0);
    expect(idsOf(await walk(ledger, asked({ by: BEN.id })))).toHaveLength(length);
    const pages = await walk(ledger, asked({ e164: `+${PHONE}` }));
    expect(idsOf(pages)).toEqual(['s803', 's402', 's1']);
    expect(pages.map(({ rows }) => rows.length)).toEqual([1, 1, 1]);
    expect(pages.map(({ searchedTo }) => searchedTo)).toEqual([
      begun + 1202 - MOST_DOCUMENTS + 1,
      begun + 1202 - 2 * MOST_DOCUMENTS + 1,
      undefined,
    ]);
    const last = pages.at(-1);
    const back = last ? await walkBack(ledger, asked({ e164: `+${PHONE}` }), last) : [];
    // The walk back ends at the newest page, whatever the page before showed.
    expect([...new Set(idsOf(back))]).toEqual(['s803', 's402']);
  });

  test('are between two moments only', async () => {
    const found = idsOf(await walk(ledger, asked({ from: begun + 5, to: begun + 8 })));
    expect(found).toEqual(['s7', 's6', 's5']);
  });

  test('people see whole numbers that they sent to, and admins see all', async () => {
    const numbers = async (person: Person) =>
      (await historyPage(ledger, asked({ from: begun, to: begun + 2 }, person))).rows.map(
        (row) => row.kind === 'single' && row.number,
      );
    expect(await numbers(ANA)).toEqual(['+44 20 7946 0958', '···0100']);
    expect(await numbers(BEN)).toEqual(['···0958', '+44 7700 900100']);
    expect(await numbers(ADMIN)).toEqual(['+44 20 7946 0958', '+44 7700 900100']);
    expect(await numbers({ ...ADMIN, isOutsider: true })).toEqual(['···0958', '···0100']);
  });
});

test('a number in a long job is found by going on within the job', async () => {
  const { clock, engine, ledger } = filled();
  await decide(ledger, clock, aSingle('older', { chunks: to(PHONE) }));
  const chunks = Array.from({ length: 600 }, (_, i) => [
    { phone: i === 599 ? PHONE : '447700900100', text: 'Hi' },
  ]);
  await decide(ledger, clock, aSingle('job', { kind: 'job', chunks }));
  await decide(ledger, clock, aSingle('newer', { chunks: to('447700900100') }));
  const filter = { e164: `+${PHONE}` };
  let cursor: HistoryCursor | undefined;
  const found: string[][] = [];
  do {
    const before = engine.count.documents;
    const page = await historyPage(ledger, asked(filter), cursor);
    expect(engine.count.documents - before).toBeLessThan(2 * MOST_DOCUMENTS);
    found.push(page.rows.map(({ id }) => id));
    cursor = page.older;
  } while (cursor);
  expect(found).toEqual([[], [], ['job', 'older']]);
});

test('jobs behind a long one that was searched to its end are searched on the next page', async () => {
  const { clock, ledger } = filled();
  const chunksTo = (phone: string, count: number) =>
    Array.from({ length: count }, () => [{ phone, text: 'Hi' }]);
  await decide(ledger, clock, aSingle('second', { kind: 'job', chunks: chunksTo(PHONE, 2) }));
  for (let i = 0; i < 3; i += 1) await decide(ledger, clock, aSingle(`s${i}`));
  // This job has so many chunks that a page may read no more.
  await decide(ledger, clock, aSingle('first', { kind: 'job', chunks: chunksTo('447700900100', 248) }));
  const pages = await walk(ledger, asked({ e164: `+${PHONE}` }));
  expect(pages.map(({ rows }) => rows.length)).toEqual([0, 1]);
  expect(idsOf(pages)).toEqual(['second']);
});

test('a page after the last one leads back', async () => {
  const { clock, ledger } = filled();
  for (let i = 0; i < 3; i += 1) await decide(ledger, clock, aSingle(`s${i}`));
  const empty = await historyPage(ledger, asked(), { way: 'older', place: { at: 0, id: '' } });
  expect(empty.rows).toEqual([]);
  const back = await historyPage(ledger, asked(), empty.newer);
  expect(back.rows.map(({ id }) => id)).toEqual(['s2', 's1', 's0']);
});
