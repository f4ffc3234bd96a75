import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BalanceDifference, DailySpending } from '../../src/ledger/accounts/statement-types.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  aSingle,
  confirmed,
  type HandClock,
  inFlight,
  type OpenLedger,
  REJECTED,
  sentFor,
  startRig,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

const DAY_MS = 86_400_000;
const ALWAYS = { from: 0, to: 100_000 };

async function read(ledger: Ledger, credits: number) {
  return ledger.recordBalance(await ledger.markBalanceRead('a1'), credits);
}

async function send(ledger: Ledger, id: string, [used, left]: [number, number], over = {}) {
  const { ref, token } = await inFlight(ledger, id, over);
  await ledger.settle(ref, token, sentFor(used, left));
}

/** Evidence about all unknown texts, past its deadline. */
async function explain(ledger: Ledger, clock: HandClock, credits: number, charge: number) {
  clock.advance(30_000);
  const marker = await ledger.markBalanceRead('a1');
  const found = await ledger.evidenceCase('a1');
  const evidence = (found?.unknowns ?? []).map(({ send, index }) => ({
    ref: { send, index },
    evidence: 'seen',
    charge,
  }));
  expect(await ledger.recordEvidence(marker, credits, evidence)).toBe(true);
}

async function statement(ledger: Ledger, days = ALWAYS) {
  const found = await ledger.accountStatement('a1', days);
  if (!found) return undefined;
  const { books, spending } = found;
  const differences = books.days.flatMap((day) => day.differences);
  const of = (kind: BalanceDifference['kind']) =>
    differences.filter((each) => each.kind === kind).reduce((sum, { credits }) => sum + credits, 0);
  return {
    opening: books.opening,
    closing: books.closing,
    messages: spending.reduce((sum, { credits }) => sum + credits, 0),
    unknown: of('unknown'),
    unclear: of('unclear'),
    elsewhere: of('elsewhere'),
    toppedUp: of('topped_up'),
  };
}

/** What became of the texts of each day. */
function outcomesOf(spending: DailySpending[] = []) {
  return [...Map.groupBy(spending, ({ day }) => day)].map(([day, all]) => {
    const total = (of: (one: DailySpending) => number) => all.reduce((sum, one) => sum + of(one), 0);
    return {
      day,
      sent: total(({ messages, others }) => messages + (others?.arrived ?? 0)),
      notSent: total(({ others }) => others?.notSent ?? 0),
      unknown: total(({ others }) => others?.unknown ?? 0),
    };
  });
}

const NOTHING = { messages: 0, unknown: 0, unclear: 0, elsewhere: 0, toppedUp: 0 };

export function statementContract(open: OpenLedger): void {
  test('days before 1970 are days without anything', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 100);
    const begins = (await ledger.account('a1'))?.baselineAt;
    expect(await ledger.accountStatement('a1', { from: -4000, to: -3990 })).toMatchObject({
      books: { since: begins, days: [] },
      spending: [],
    });
    expect(await statement(ledger, { from: -4000, to: 100_000 })).toEqual(await statement(ledger));
  });

  test('it begins with the first quiet balance read, and says when', async () => {
    const { ledger, clock } = await startRig(open);
    expect(await ledger.accountStatement('a1', ALWAYS)).toBeUndefined();
    expect(await ledger.accountBooks('a1', ALWAYS)).toBeUndefined();
    await send(ledger, 'before', [5, 95]);
    expect(await statement(ledger)).toBeUndefined();
    clock.advance(1000);
    await read(ledger, 95);
    const since = clock.now();
    expect(await statement(ledger)).toEqual({ ...NOTHING, opening: 95, closing: 95 });
    expect((await ledger.accountBooks('a1', ALWAYS))?.since).toBe(since);
    const day = Math.floor(since / DAY_MS);
    expect(await ledger.accountBooks('a1', { from: day + 1, to: day + 1 })).toEqual({
      opening: 95,
      closing: 95,
      days: [],
    });
  });

  test('receipts, use by others and top-ups are lines of their own, and outlive a restart', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await read(ledger, 100);
    const from = clock.now();
    await send(ledger, 's1', [3, 97]);
    clock.advance(1000);
    await read(ledger, 90);
    clock.advance(DAY_MS);
    const to = clock.now();
    expect(await read(ledger, 590)).toMatchObject({
      difference: { kind: 'topped_up', from: to - DAY_MS, to, credits: 500 },
    });
    const again = await reopen();
    expect(await statement(again)).toEqual({
      opening: 100,
      closing: 590,
      messages: 3,
      unknown: 0,
      unclear: 0,
      elsewhere: -7,
      toppedUp: 500,
    });
    expect((await again.accountBooks('a1', ALWAYS))?.days).toMatchObject([
      { opening: 100, closing: 90, differences: [{ kind: 'elsewhere', from, to: from + 1000, credits: -7 }] },
      { opening: 90, closing: 590, differences: [{ kind: 'topped_up', credits: 500 }] },
    ]);
  });

  test('a read that agrees with the books notes nothing', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    clock.advance(DAY_MS);
    expect(await read(ledger, 100)).not.toHaveProperty('difference');
    expect((await ledger.accountBooks('a1', ALWAYS))?.days).toHaveLength(1);
  });

  test('a charge by evidence is noted, even if a top-up hides it from the balance', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await unknownSingle(ledger, 's1');
    await explain(ledger, clock, 100, 2);
    const noted = { ...NOTHING, opening: 100, closing: 100, toppedUp: 2 };
    expect(await statement(ledger)).toEqual({ ...noted, unknown: -2 });
    await ledger.settle(ref, token, sentFor(2, 98));
    expect(await statement(ledger)).toEqual({ ...noted, messages: 2 });
  });

  test('of two reads at once, only the one that is recorded first counts', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    clock.advance(1000);
    const slow = await ledger.markBalanceRead('a1');
    await read(ledger, 60);
    expect(await ledger.recordBalance(slow, 100)).not.toHaveProperty('difference');
    expect(await ledger.account('a1')).toMatchObject({ credits: 60, asOf: clock.now() });
    clock.advance(1000);
    await read(ledger, 60);
    expect(await statement(ledger)).toEqual({ ...NOTHING, opening: 100, closing: 60, elsewhere: -40 });
    // A lower figure from before a top-up does not change it either.
    const slower = await ledger.markBalanceRead('a1');
    clock.advance(1000);
    await read(ledger, 500);
    expect((await ledger.recordBalance(slower, 60)).account.credits).toBe(500);
  });

  test('outcomes of texts are counted by day, and a later answer or a person’s word corrects them', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await read(ledger, 100);
    const day = Math.floor(clock.now() / DAY_MS);
    await send(ledger, 'sent', [1, 99]);
    const rejected = await inFlight(ledger, 'rejected');
    await ledger.settle(rejected.ref, rejected.token, REJECTED);
    const [late, said, undecided] = [
      await unknownSingle(ledger, 'late'),
      await unknownSingle(ledger, 'said'),
      await unknownSingle(ledger, 'open'),
    ];
    // Nobody takes the text: its account is known from its draft.
    await confirmed(ledger, aSingle('stale', { account: 'a1' }));
    clock.advance(11_000);
    await ledger.recover();
    const outcomes = async (of: Ledger) => outcomesOf((await of.accountStatement('a1', ALWAYS))?.spending);
    const first = { day, sent: 1, notSent: 2, unknown: 3 };
    expect(await outcomes(ledger)).toEqual([first]);
    clock.advance(DAY_MS);
    await ledger.settle(late.ref, late.token, sentFor(1, 98));
    await ledger.saySent({ send: said.ref.send, indexes: [said.ref.index] }, 'U2');
    await ledger.saySent({ send: said.ref.send, indexes: [said.ref.index] }, 'U2');
    const corrected = [
      { ...first, sent: 2, unknown: 1 },
      { day: day + 1, sent: 1, notSent: 0, unknown: 0 },
    ];
    expect(await outcomes(ledger)).toEqual(corrected);
    const again = await reopen();
    expect(await outcomes(again)).toEqual(corrected);
    await again.settle(undecided.ref, undecided.token, REJECTED);
    expect(await outcomes(again)).toEqual([
      { ...first, sent: 2, unknown: 0 },
      { day: day + 1, sent: 1, notSent: 1, unknown: 0 },
    ]);
  });

  test('differences of one kind within an hour become one line', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const from = clock.now();
    for (const credits of [99, 97, 94]) {
      clock.advance(60_000);
      await read(ledger, credits);
    }
    clock.advance(3_600_000);
    await read(ledger, 93);
    expect((await ledger.accountBooks('a1', ALWAYS))?.days[0]?.differences).toEqual([
      { kind: 'elsewhere', from, to: from + 180_000, credits: -6 },
      { kind: 'elsewhere', from: from + 180_000, to: clock.now(), credits: -1 },
    ]);
  });

  test('charges that evidence finds belong to unknown messages; the rest is not explained', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    await unknownSingle(ledger, 's1');
    await explain(ledger, clock, 98, 2);
    await unknownSingle(ledger, 's2');
    await explain(ledger, clock, 90, 0);
    expect(await statement(ledger)).toEqual({
      ...NOTHING,
      opening: 100,
      closing: 90,
      unknown: -2,
      unclear: -8,
    });
  });

  test('a late receipt replaces the charge by evidence, and the books stay', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await unknownSingle(ledger, 's1');
    await explain(ledger, clock, 98, 2);
    await ledger.settle(ref, token, sentFor(2, 98));
    expect(await statement(ledger)).toEqual({ ...NOTHING, opening: 100, closing: 98, messages: 2 });
  });

  test('a late refusal takes the charge by evidence back', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await unknownSingle(ledger, 's1');
    await explain(ledger, clock, 98, 2);
    await ledger.settle(ref, token, REJECTED);
    expect(await statement(ledger)).toEqual({ ...NOTHING, opening: 100, closing: 98, unclear: -2 });
  });

  test('a late receipt of a message from before the statement is not in it', async () => {
    const { ledger, clock } = await startRig(open);
    await send(ledger, 'first', [1, 99]);
    const { ref, token } = await unknownSingle(ledger, 's1');
    await explain(ledger, clock, 97, 2);
    await ledger.settle(ref, token, sentFor(2, 97));
    expect(await statement(ledger)).toEqual({ ...NOTHING, opening: 97, closing: 97 });
  });

  test('receipts say who confirmed how much where, each in the account that paid', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 100);
    await send(ledger, 's1', [3, 97]);
    await send(ledger, 's2', [4, 93], { channelId: 'C2' });
    await send(ledger, 's3', [5, 88], { team: 'T2' });
    const found = await ledger.accountStatement('a1', ALWAYS);
    expect(found?.spending.map(({ team, channelId, credits }) => [team, channelId, credits]).sort()).toEqual([
      ...[
        ['T1', 'C1', 3],
        ['T1', 'C2', 4],
        ['T2', 'C1', 5],
      ],
    ]);
    expect(await ledger.accountStatement('a2', ALWAYS)).toBeUndefined();
    expect(await ledger.spentSince('T1', 'C1', 0)).toEqual({ credits: 3, messages: 1 });
  });

  const aStep = fc.oneof(
    fc.record({ what: fc.constant('send' as const), credits: fc.nat(5) }),
    fc.record({
      what: fc.constant('unknown' as const),
      credits: fc.nat(3),
      late: fc.constantFrom('never', 'receipt', 'refusal'),
      seen: fc.boolean(),
    }),
    fc.record({ what: fc.constantFrom('elsewhere' as const, 'topUp' as const), credits: fc.nat(40) }),
    fc.record({ what: fc.constant('read' as const) }),
    fc.record({ what: fc.constant('restart' as const) }),
    fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2 * DAY_MS }) }),
  );

  test('in any order of events, opening, receipts and differences add up to closing, over any days', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 25 }), async (history) => {
        const { ledger: first, clock, reopen } = await startRig(open, { permits: 1000 });
        let ledger = first;
        let balance = 1000;
        const late: (() => Promise<unknown>)[] = [];
        await read(ledger, balance);
        const start = Math.floor(clock.now() / DAY_MS);
        for (const [index, step] of history.entries()) {
          const id = `s${index}`;
          if (step.what === 'wait') clock.advance(step.ms);
          if (step.what === 'restart') ledger = await reopen();
          if (step.what === 'elsewhere') balance -= step.credits;
          if (step.what === 'topUp') balance += step.credits;
          if (step.what === 'read') {
            await read(ledger, balance);
            expect(await statement(ledger)).toMatchObject({ closing: balance });
          }
          if (step.what === 'send') {
            balance -= step.credits;
            await send(ledger, id, [step.credits, balance]);
          }
          if (step.what === 'unknown') {
            const { ref, token } = await unknownSingle(ledger, id);
            if (step.late !== 'refusal') balance -= step.credits;
            await explain(ledger, clock, balance, step.seen ? step.credits : 0);
            const answer = step.late === 'receipt' ? sentFor(step.credits, balance) : REJECTED;
            if (step.late !== 'never') late.push(() => ledger.settle(ref, token, answer));
          }
          if (index % 7 === 0) await late.pop()?.();
        }
        for (const answer of late) await answer();
        await read(ledger, balance);
        const end = Math.floor(clock.now() / DAY_MS);
        for (let from = start; from <= end; from += 1) {
          for (const to of [from, end]) {
            const found = await statement(ledger, { from, to });
            if (!found) throw new Error('the statement is gone');
            const { opening, closing, messages, unknown, unclear, elsewhere, toppedUp } = found;
            expect(opening - messages + unknown + unclear + elsewhere + toppedUp).toBe(closing);
          }
        }
        expect(await statement(ledger)).toMatchObject({ opening: 1000, closing: balance });
      }),
      { numRuns: 15 },
    );
  });
}
