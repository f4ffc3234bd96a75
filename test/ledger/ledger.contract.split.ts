import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import {
  type Attempt,
  aJob,
  aPart,
  confirmed,
  drain,
  forJobs,
  GARBLED,
  halved,
  messages,
  neverStarted,
  type OpenLedger,
  REJECTED,
  refused,
  resolvedPerMessage,
  SENT,
  splitInto,
  startRig,
  states,
  taken,
} from '../helpers/ledger-fixtures.ts';

/** Takes the next chunk of a job and settles it. */
async function next(
  ledger: Ledger,
  settlementOf: (list: LedgerMessage[]) => Settlement,
): Promise<Attempt & { state: string }> {
  const attempt = await taken(ledger, forJobs());
  const settled = await ledger.settle(attempt.ref, attempt.token, settlementOf(attempt.chunk.messages));
  if (!settled.settled) throw new Error('the settlement was refused');
  return { ...attempt, state: settled.chunk.state };
}

/** Splits of a chunk into smaller ones, within a number of requests. */
export function splitContract(open: OpenLedger): void {
  test('children know their parent, grandchildren theirs, and the service’s words stay with the split chunk', async () => {
    const { ledger, reopen } = await startRig(open);
    await confirmed(ledger, aJob('j1', [4]));
    const words = { cause: 'validation', message: 'Invalid phone' };
    const { chunk } = await next(ledger, (list) => ({ ...halved(list), result: words }) as Settlement);
    await next(ledger, halved);
    const chunks = await (await reopen()).chunks('j1');
    expect(chunks.map(({ index, parent, state }) => ({ index, parent, state }))).toEqual([
      { index: 0, parent: undefined, state: 'split' },
      { index: 1, parent: 0, state: 'split' },
      { index: 2, parent: 0, state: 'pending' },
      { index: 3, parent: 1, state: 'pending' },
      { index: 4, parent: 1, state: 'pending' },
    ]);
    expect(chunks[0]?.result).toEqual(words);
    const leaves = chunks.filter(({ state }) => state !== 'split').flatMap((leaf) => leaf.messages);
    expect(leaves.map(({ phone }) => phone).sort()).toEqual(chunk.messages.map(({ phone }) => phone).sort());
  });

  test('a split counts every request that it may take: those made, those open, and its children', async () => {
    const { ledger } = await startRig(open);
    for (const [id, most, state] of [
      ['enough', 3, 'split'],
      ['too few', 2, 'rejected'],
    ] as const) {
      await confirmed(ledger, aJob(id, [4]));
      expect((await next(ledger, (list) => halved(list, { mostRequests: most }))).state).toBe(state);
      await ledger.stop(id);
    }
  });

  test('all that a drafted chunk was split into counts, and no other chunk of its job', async () => {
    const { ledger } = await startRig(open);
    for (const [id, most, state] of [
      ['enough', 8, 'split'],
      ['too few', 7, 'rejected'],
    ] as const) {
      await confirmed(ledger, aJob(id, [8, 8]));
      await next(ledger, halved);
      await next(ledger, () => SENT);
      await next(ledger, halved);
      const sibling = await taken(ledger, forJobs());
      // Four requests were made: for the chunk, a child, its sibling and this grandchild. The sibling and a cousin are open.
      expect((await next(ledger, (list) => halved(list, { mostRequests: most }))).state).toBe(state);
      await ledger.stop(id);
      await ledger.settle(sibling.ref, sibling.token, SENT);
    }
  });

  test('a request that never started does not count; a refused one does', async () => {
    const { ledger } = await startRig(open);
    for (const [id, before, most, state] of [
      ['outage', neverStarted(), 3, 'split'],
      ['busy', refused(0), 6, 'split'],
      ['too busy', refused(0), 5, 'rejected'],
    ] as const) {
      await confirmed(ledger, aJob(id, [2]));
      for (let i = 0; i < 3; i += 1) await next(ledger, () => before);
      expect((await next(ledger, (list) => halved(list, { mostRequests: most }))).state).toBe(state);
      await ledger.stop(id);
    }
  });

  test('if a split is not allowed, its `otherwise` counts in every way', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2, 2, 2], { topics: ['card'] }));
    const grouped: Settlement = { to: 'rejected', request: 'answered', result: { cause: 'group_refused' } };
    const over = { mostRequests: 2 };
    const first = await next(ledger, (list) => halved(list, { ...over, otherwise: grouped }));
    expect((await ledger.chunks('j1'))[0]).toMatchObject({
      state: 'rejected',
      result: { cause: 'group_refused' },
      settledAt: clock.now(),
    });
    expect(await ledger.find('j1')).toMatchObject({ inFlightLimit: 9, unknownRun: 0 });
    await next(ledger, (list) => halved(list, { ...over, otherwise: GARBLED }));
    expect(await ledger.find('j1')).toMatchObject({ inFlightLimit: 1, unknownRun: 1 });
    await next(ledger, (list) => halved(list, { ...over, otherwise: refused(700) }));
    expect((await ledger.chunks('j1'))[2]).toMatchObject({ state: 'pending', refusals: 1 });
    expect(await ledger.take(forJobs())).toEqual({ kind: 'wait', until: clock.now() + 700, rests: true });
    clock.advance(700);
    await next(ledger, (list) =>
      halved(list, { mostRequests: 3, otherwise: halved(list, { ...over, otherwise: grouped }) }),
    );
    expect(await states(ledger, 'j1')).toEqual(['rejected', 'unknown', 'rejected']);
    expect(await drain(ledger)).toEqual(['card:j1']);

    const before = await ledger.chunks('j1');
    const again = halved(first.chunk.messages, { ...over, otherwise: grouped });
    expect(await ledger.settle(first.ref, first.token, again)).toEqual({
      settled: true,
      send: await ledger.find('j1'),
      chunk: before[0],
    });
    expect(await ledger.chunks('j1')).toEqual(before);
    expect(await drain(ledger)).toEqual([]);
  });

  test('if a split comes again, it still counts, whatever its children have done since', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [4, 1]));
    const most = { mostRequests: 3 };
    const first = await next(ledger, (list) => halved(list, most));
    await next(ledger, () => SENT);
    for (let i = 0; i < 3; i += 1) await next(ledger, () => refused(0));
    const before = await ledger.chunks('j1');
    const again = await ledger.settle(first.ref, first.token, halved(first.chunk.messages, most));
    expect(again).toMatchObject({ settled: true, chunk: { state: 'split' } });
    expect(await ledger.chunks('j1')).toEqual(before);
  });

  const wrong: [string, (list: LedgerMessage[]) => LedgerMessage[][]][] = [
    ['one is missing', ([, ...rest]) => [rest]],
    ['one is doubled', (list) => [list, list.slice(0, 1)]],
    ['one is another’s', ([, ...rest]) => [rest, messages(1)]],
    ['one says something else', ([first, ...rest]) => [[{ ...(first as LedgerMessage), text: 'No' }], rest]],
    ['one has another row', ([first, ...rest]) => [[{ ...(first as LedgerMessage), row: 7 }], rest]],
    ['one child holds nothing', (list) => [list, []]],
    ['there are none', () => []],
  ];
  test.each(wrong)('a split has each message of its chunk once: it is refused if %s', async (_why, share) => {
    const { ledger } = await startRig(open);
    const [twice] = messages(1) as [LedgerMessage];
    await confirmed(ledger, aJob('j1', [], { chunks: [[...messages(2), twice, twice]] }));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    const before = [await ledger.find('j1'), await ledger.chunks('j1'), await ledger.account('a1')];
    const shares = share(chunk.messages);
    const parts = shares.map((list) => aPart('sent', list));
    for (const settlement of [splitInto(shares), resolvedPerMessage(parts)]) {
      await expect(ledger.settle(ref, token, settlement)).rejects.toThrow();
    }
    expect([await ledger.find('j1'), await ledger.chunks('j1'), await ledger.account('a1')]).toEqual(before);
    const shuffled = splitInto([[twice, ...chunk.messages.slice(0, 1)], [...chunk.messages.slice(1, 3)]]);
    expect((await ledger.settle(ref, token, shuffled)).settled).toBe(true);
  });

  test('whoever of a hundred is bad: forty requests at most, one outcome for everybody, and no bad one is sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(99), { maxLength: 12 }), async (badRows) => {
        const { ledger } = await startRig(open, { permits: 1000 });
        const list = messages(100).map((message, row) => ({ ...message, row }));
        await confirmed(ledger, aJob('j1', [], { chunks: [list] }));
        const isBad = ({ row }: LedgerMessage) => badRows.includes(row as number);
        let requests = 0;
        while ((await ledger.find('j1'))?.state === 'running') {
          requests += 1;
          await next(ledger, (some) => {
            if (!some.some(isBad)) return SENT;
            return some.length === 1 ? REJECTED : halved(some);
          });
        }
        expect(requests).toBeLessThanOrEqual(40);
        const leaves = (await ledger.chunks('j1')).filter(({ state }) => state !== 'split');
        expect(leaves.flatMap((leaf) => leaf.messages.map(({ row }) => row)).sort()).toEqual(
          list.map(({ row }) => row).sort(),
        );
        for (const { state, messages: held } of leaves) expect(state === 'sent').toBe(!held.some(isBad));
        // Seven halvings find one among a hundred: two requests each, plus the first request.
        if (badRows.length <= 2)
          expect(leaves.filter(({ state }) => state === 'rejected')).toHaveLength(badRows.length);
      }),
      { numRuns: 12 },
    );
  });
}
