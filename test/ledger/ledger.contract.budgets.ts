import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { BudgetAsked, PeriodAsked } from '../../src/ledger/model/budget-types.ts';
import type { Decision, NewSend } from '../../src/ledger/model/decision-types.ts';
import {
  aJob,
  aPart,
  aSingle,
  drain,
  forJobs,
  forSingles,
  NOT_SENT,
  neverStarted,
  type OpenLedger,
  REJECTED,
  resendOf,
  resolvedPerMessage,
  SENT,
  sentFor,
  startRig,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

export const MONTH = 'T1/C1/2026-01';
export const DAY = 'T1/C1/2026-01-05/U1';
const RENEWS_AT = Date.UTC(2026, 1, 1);

/** The channel's month. */
export function month(limit?: number, over: Partial<PeriodAsked> = {}): PeriodAsked {
  return {
    id: MONTH,
    renewsAt: RENEWS_AT,
    readers: ['C1', 'UADM'],
    ...(limit !== undefined && { limit }),
    ...over,
  };
}

/** A person's day in the channel. */
function day(limit?: number): PeriodAsked {
  return { ...month(limit), id: DAY, person: 'U1', readers: ['U1'], renewsAt: Date.UTC(2026, 0, 6) };
}

/** A message costs a credit, and counts in these periods. */
export function asking(credits: number, ...periods: PeriodAsked[]): BudgetAsked {
  return { credits, perMessage: 1, periods };
}

/** Drafts a send and decides it; resolves with the decision's answer. */
async function decided(ledger: Ledger, send: NewSend, budget: BudgetAsked) {
  await ledger.draft(send);
  return ledger.decide(send.id, { to: 'running', by: 'U1', budget });
}

/** What the month has counted: used and held. */
async function counted(ledger: Ledger, id = MONTH) {
  const [period] = await ledger.findPeriods([{ id: id }]);
  return period && [period.used, period.held];
}

/** Budgets: used and held credits, and who hears of them. Tests show used and held as a pair. */
export function budgetsContract(open: OpenLedger): void {
  test('two drafts fit alone but not together: one wins, and the other hears what is left', async () => {
    const { ledger } = await startRig(open);
    for (const id of ['j1', 'j2']) await ledger.draft(aJob(id, [60]));
    const answers = await Promise.all(
      ['j1', 'j2'].map((id) =>
        ledger.decide(id, { to: 'running', by: 'U1', budget: asking(60, month(100), day()) }),
      ),
    );
    expect(answers.filter(({ won }) => won)).toHaveLength(1);
    const over = { id: MONTH, limit: 100, used: 0, held: 60, left: 40, asked: 60, renewsAt: RENEWS_AT };
    expect(answers.find(({ won }) => !won)).toMatchObject({
      why: 'over_budget',
      over,
      send: { state: 'draft' },
    });
    expect(await counted(ledger)).toEqual([0, 60]);
    expect(await counted(ledger, DAY)).toEqual([0, 60]);
  });

  test('of 64 decisions at once none overspends, by a single credit', async () => {
    const { ledger } = await startRig(open);
    const ids = Array.from({ length: 64 }, (_, i) => `s${i}`);
    for (const id of ids) await ledger.draft(aSingle(id));
    const answers = await Promise.all(
      ids.map((id) =>
        ledger.decide(id, { to: 'running', by: 'U1', budget: { ...asking(3, month(100)), perMessage: 3 } }),
      ),
    );
    expect(answers.filter(({ won }) => won)).toHaveLength(33);
    expect(await counted(ledger)).toEqual([0, 99]);
  });

  test('a day of a person that is short refuses, and names the person', async () => {
    const { ledger } = await startRig(open);
    expect(await decided(ledger, aSingle('s1'), asking(2, month(100), day(1)))).toMatchObject({
      won: false,
      over: { id: DAY, person: 'U1', limit: 1, left: 1, asked: 2 },
    });
    expect(await counted(ledger)).toBeUndefined();
  });

  test('credits of receipts are used, and those of unsent texts are let go', async () => {
    const { ledger } = await startRig(open, { permits: 100 });
    await decided(ledger, aJob('j1', [10, 10, 10, 10]), asking(40, month(100)));
    const answers: [Settlement, number[]][] = [
      [sentFor(8), [8, 30]],
      [REJECTED, [8, 20]],
      [NOT_SENT, [8, 10]],
      [sentFor(12), [20, 0]],
    ];
    for (const [answer, figures] of answers) {
      const { ref, token } = await taken(ledger, forJobs());
      const before = await counted(ledger);
      expect((await ledger.settle(ref, token, answer)).settled).toBe(true);
      expect(before).not.toEqual(figures);
      expect(await counted(ledger)).toEqual(figures);
    }
  });

  test('receipts above the estimate count as they are, and the rest is held at their price', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [10, 10]), asking(20, month(40)));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, sentFor(25));
    expect(await counted(ledger)).toEqual([25, 25]);
    expect(await decided(ledger, aSingle('s1'), asking(1, month(40)))).toMatchObject({ why: 'over_budget' });
    expect(await ledger.resume('j1', {}, { limits: { month: 50 } })).toEqual({ won: true });
    const rest = await taken(ledger, forJobs());
    await ledger.settle(rest.ref, rest.token, sentFor(25));
    expect(await counted(ledger)).toEqual([50, 0]);
  });

  /** A job of five chunks, three of them in flight. A credit is reserved for each of its 50 texts. */
  async function threeOfFive(...asked: (PeriodAsked | Pick<BudgetAsked, 'approvedUpTo'>)[]) {
    const rig = await startRig(open, { permits: 100 });
    const periods = asked.filter((each) => 'id' in each);
    const [approved = {}] = asked.filter((each) => !('id' in each));
    const budget = { ...asking(50, ...periods), ...approved };
    await decided(rig.ledger, aJob('j1', [10, 10, 10, 10, 10]), budget);
    const [first, ...others] = [
      await taken(rig.ledger, forJobs()),
      await taken(rig.ledger, forJobs()),
      await taken(rig.ledger, forJobs()),
    ];
    return { ...rig, first, others };
  }

  test('a job that gets dearer than its month allows pauses in that step: requests in flight settle, and no more are sent', async () => {
    const { ledger, first, others } = await threeOfFive(month(60), day());
    const settled = await ledger.settle(first.ref, first.token, sentFor(20));
    expect(settled).toMatchObject({ send: { state: 'paused', pauseReason: 'over_month' } });
    expect(await counted(ledger)).toEqual([20, 80]);
    for (const { ref, token } of others) {
      expect((await ledger.take(forJobs())).kind).toBe('idle');
      await ledger.settle(ref, token, sentFor(20));
    }
    expect((await ledger.take(forJobs())).kind).toBe('idle');
    expect(await counted(ledger)).toEqual([60, 40]);
    expect((await ledger.tally('j1')).states).toMatchObject({
      sent: { chunks: 3, messages: 30 },
      pending: { chunks: 2, messages: 20 },
    });
  });

  test('unknown texts make it no cheaper: their price is that of the texts with receipts', async () => {
    const { ledger, first, others } = await threeOfFive(month(60));
    const [late, last] = others;
    if (!late || !last) throw new Error('three are on their way');
    await ledger.settle(late.ref, late.token, UNANSWERED);
    const settled = await ledger.settle(first.ref, first.token, sentFor(20));
    expect(settled).toMatchObject({ send: { state: 'paused', pauseReason: 'over_month' } });
    expect(await counted(ledger)).toEqual([20, 80]);
    // An answer can leave some of its own messages unknown.
    const { messages } = late.chunk;
    const halves = [aPart('sent', messages.slice(0, 5)), aPart('unknown', messages.slice(5))];
    await ledger.settle(late.ref, late.token, resolvedPerMessage(halves, 10));
    expect(await counted(ledger)).toEqual([30, 53]);
    await ledger.settle(last.ref, last.token, sentFor(10));
    expect(await counted(ledger)).toEqual([40, 34]);
  });

  test('a text that cost nothing by evidence makes it no cheaper either', async () => {
    const { ledger, clock, first, others } = await threeOfFive(month(1000));
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 1000);
    const [lost, next] = others;
    if (!lost || !next) throw new Error('three are on their way');
    await ledger.settle(lost.ref, lost.token, UNANSWERED);
    await ledger.settle(first.ref, first.token, sentFor(20));
    await ledger.settle(next.ref, next.token, REJECTED);
    expect(await counted(ledger)).toEqual([20, 60]);
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    await ledger.recordEvidence(marker, 980, [{ ref: lost.ref, evidence: 'none', charge: 0 }]);
    expect(await counted(ledger)).toEqual([20, 40]);
  });

  test('it goes on only if its rest fits by the limits of that moment: one of many resumes wins, and each text is sent once', async () => {
    const { ledger, first, others } = await threeOfFive(month(60));
    for (const { ref, token } of [first, ...others]) await ledger.settle(ref, token, sentFor(20));
    const over = { id: MONTH, used: 60, held: 0, left: 0, asked: 40, renewsAt: RENEWS_AT };
    expect(await ledger.resume('j1')).toEqual({ won: false, over: { ...over, limit: 60 } });
    const refused = { won: false, over: { ...over, limit: 99, left: 39 } };
    expect(await ledger.resume('j1', {}, { limits: { month: 99 } })).toEqual(refused);
    expect(await ledger.find('j1')).toMatchObject({ state: 'paused', pauseReason: 'over_month' });
    const answers = await Promise.all(
      [99, 100, 100, 100].map((at) => ledger.resume('j1', {}, { limits: { month: at } })),
    );
    expect(answers.filter(({ won }) => won)).toHaveLength(1);
    expect((await ledger.find('j1'))?.pauseReason).toBeUndefined();
    const rest = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    expect(rest.map(({ ref }) => ref.index).sort()).toEqual([3, 4]);
    for (const { ref, token } of rest) await ledger.settle(ref, token, sentFor(20));
    expect(await ledger.find('j1')).toMatchObject({ state: 'finished' });
    expect(await counted(ledger)).toEqual([100, 0]);
  });

  test('it pauses again if it gets dearer still', async () => {
    const { ledger, first, others } = await threeOfFive(month(60));
    for (const { ref, token } of [first, ...others]) await ledger.settle(ref, token, sentFor(20));
    await ledger.resume('j1', {}, { limits: { month: 100 } });
    const { ref, token } = await taken(ledger, forJobs());
    expect(await ledger.settle(ref, token, sentFor(21))).toMatchObject({
      send: { pauseReason: 'over_month' },
    });
  });

  test('texts that cost more than the whole estimate are dearer, even if none costs more than the dearest may', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [5, 5, 5]), { credits: 16, perMessage: 2, periods: [month(20)] });
    const one = await taken(ledger, forJobs());
    expect(await ledger.settle(one.ref, one.token, sentFor(9))).toMatchObject({ send: { state: 'running' } });
    expect(await counted(ledger)).toEqual([9, 7]);
    const two = await taken(ledger, forJobs());
    expect(await ledger.settle(two.ref, two.token, sentFor(9))).toMatchObject({ send: { state: 'paused' } });
    expect(await counted(ledger)).toEqual([18, 9]);
  });

  test('a person’s day pauses it, too, and an admin may take that limit away', async () => {
    const { ledger, first } = await threeOfFive(month(), day(60));
    await ledger.settle(first.ref, first.token, sentFor(20));
    expect(await ledger.find('j1')).toMatchObject({ state: 'paused', pauseReason: 'over_day' });
    expect(await ledger.resume('j1', {}, { limits: { month: 1000, day: 60 } })).toMatchObject({
      over: { id: DAY, person: 'U1', limit: 60, used: 20, left: 40, asked: 80 },
    });
    expect(await ledger.resume('j1', {}, { limits: { month: 1000 } })).toEqual({ won: true });
  });

  test('a job that paused for another reason goes on only if its rest fits', async () => {
    const { ledger, first } = await threeOfFive(month(60));
    await ledger.pause('j1', 'person');
    await ledger.settle(first.ref, first.token, sentFor(20));
    expect(await ledger.find('j1')).toMatchObject({ state: 'paused', pauseReason: 'person' });
    expect(await ledger.resume('j1', {}, { limits: { month: 60 } })).toMatchObject({
      over: { asked: 80, left: 40 },
    });
  });

  test('late answers count, and never let it go on', async () => {
    const { ledger, first, others, reopen } = await threeOfFive(month(60));
    await ledger.settle(first.ref, first.token, sentFor(20));
    const next = await reopen();
    expect((await next.tally('j1')).states.unknown.chunks).toBe(2);
    for (const { ref, token } of others) {
      expect((await next.settle(ref, token, sentFor(10))).settled).toBe(true);
    }
    expect(await next.find('j1')).toMatchObject({ state: 'paused', pauseReason: 'over_month' });
    // The job used 40 for 30 texts. By these figures the rest fits, so a person may resume it.
    expect(await counted(next)).toEqual([40, 27]);
    expect(await next.resume('j1', {}, { limits: { month: 67 } })).toEqual({ won: true });
  });

  test('a stopped job lets go of the credits that it holds', async () => {
    const { ledger, first } = await threeOfFive(month(60));
    await ledger.settle(first.ref, first.token, sentFor(20));
    await ledger.stop('j1');
    expect(await counted(ledger)).toEqual([20, 40]);
    expect(await ledger.resume('j1', {}, { limits: { month: 1000 } })).toEqual({ won: false });
  });

  test('a job that needs only its reserved credits goes on, whatever happened to the limit', async () => {
    const { ledger, first } = await threeOfFive(month(60));
    await decided(ledger, aSingle('s1'), asking(1, month(60)));
    const single = await taken(ledger, forSingles());
    await ledger.settle(single.ref, single.token, sentFor(30));
    expect(await ledger.settle(first.ref, first.token, sentFor(10))).toMatchObject({
      send: { state: 'running' },
    });
    await ledger.pause('j1', 'person');
    expect(await ledger.resume('j1', {}, { limits: { month: 1 } })).toEqual({ won: true });
  });

  test('a job whose exception was approved goes on as approved, and pauses if it gets dearer than that', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aJob('j1', [10, 10, 10]));
    await ledger.decide('j1', { to: 'awaiting_approval', by: 'U1', approval: { topic: 'approval' } });
    const approved: Decision = { to: 'running', by: 'UADM', budget: asking(30, month(1)) };
    await ledger.decide('j1', { ...approved, approval: { exceptBudget: true } });
    const first = await taken(ledger, forJobs());
    expect(await ledger.settle(first.ref, first.token, sentFor(10))).toMatchObject({
      send: { state: 'running' },
    });
    const second = await taken(ledger, forJobs());
    const dearer = await ledger.settle(second.ref, second.token, sentFor(11));
    expect(dearer).toMatchObject({ send: { state: 'paused', pauseReason: 'over_month' } });
  });

  test('above its approval a job pauses, and goes on for a person who may approve the rest: one of many such resumes wins', async () => {
    const { ledger, first, others } = await threeOfFive({ approvedUpTo: 60 }, month());
    const settled = await ledger.settle(first.ref, first.token, sentFor(13));
    expect(settled).toMatchObject({ send: { state: 'paused', pauseReason: 'over_approval' } });
    expect((await ledger.take(forJobs())).kind).toBe('idle');
    const over = { approvedUpTo: 60, asked: 65 };
    expect(await ledger.resume('j1')).toEqual({ won: false, over });
    expect(await ledger.resume('j1', {}, { limits: { month: 1000 } })).toEqual({ won: false, over });
    const upTo = (credits: number) => ({ approval: { upTo: credits, details: { approvedBy: 'U2' } } });
    // The job got dearer than the figure that somebody had read.
    expect(await ledger.resume('j1', {}, upTo(64))).toEqual({
      won: false,
      over: { approvedUpTo: 64, asked: 65 },
    });
    expect(await ledger.find('j1')).toMatchObject({ pauseReason: 'over_approval' });
    const checked = { restored: undefined, checked: true };
    const answers = await Promise.all([1, 2, 3].map(() => ledger.resume('j1', checked, upTo(70))));
    expect(answers.filter(({ won }) => won)).toHaveLength(1);
    const send = await ledger.find('j1');
    expect(send).toMatchObject({ state: 'running', details: { approvedBy: 'U2', checked: true } });
    const states = [];
    for (const [{ ref, token }, charged] of [
      [others[0], 14],
      [others[1], 30],
    ] as const) {
      const answered = await ledger.settle(ref, token, sentFor(charged));
      states.push(answered.settled && answered.send.state);
    }
    expect(states).toEqual(['running', 'paused']);
  });

  test('up to its approval it goes on, and nobody is noted as approving', async () => {
    const { ledger, first } = await threeOfFive({ approvedUpTo: 65 }, month());
    expect(await ledger.settle(first.ref, first.token, sentFor(13))).toMatchObject({
      send: { state: 'running' },
    });
    await ledger.pause('j1', 'person');
    const approval = { upTo: 1000, details: { approvedBy: 'U2' } };
    expect(await ledger.resume('j1', {}, { approval })).toEqual({ won: true });
    expect(JSON.stringify(await ledger.find('j1'))).not.toContain('U2');
    const next = await taken(ledger, forJobs());
    expect(await ledger.settle(next.ref, next.token, sentFor(14))).toMatchObject({
      send: { pauseReason: 'over_approval' },
    });
  });

  test('over a budget, too, both must be had', async () => {
    const { ledger, first } = await threeOfFive({ approvedUpTo: 60 }, month(70));
    expect(await ledger.settle(first.ref, first.token, sentFor(20))).toMatchObject({
      send: { pauseReason: 'over_month' },
    });
    const approval = { upTo: 100, details: {} };
    expect(await ledger.resume('j1', {}, { approval })).toMatchObject({ over: { id: MONTH } });
    expect(await ledger.resume('j1', {}, { limits: { month: 100 } })).toMatchObject({
      over: { approvedUpTo: 60, asked: 100 },
    });
    expect(await ledger.resume('j1', {}, { limits: { month: 100 }, approval })).toEqual({ won: true });
  });

  test('a job without a waiting chunk is not paused', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [10, 10]), asking(20, month(20)));
    const [one, two] = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    expect(await ledger.settle(one.ref, one.token, sentFor(20))).toMatchObject({
      send: { state: 'running' },
    });
    expect(await ledger.settle(two.ref, two.token, sentFor(20))).toMatchObject({
      send: { state: 'finished' },
    });
  });

  test('a receipt that covers messages which it does not list leaves no more credits held for them', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [2]), asking(2, month(100)));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, resolvedPerMessage([aPart('unknown', chunk.messages)], 2));
    expect(await counted(ledger)).toEqual([2, 0]);
  });

  test('a stopped list holds credits for its requests in flight, and lets the rest go', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [10, 10, 10]), asking(30, month(100)));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.stop('j1');
    expect(await counted(ledger)).toEqual([0, 10]);
    await ledger.settle(ref, token, SENT);
    expect(await counted(ledger)).toEqual([1, 0]);
  });

  test('recovery: unknown texts keep their credits held, texts that are given up let them go', async () => {
    const { ledger, reopen } = await startRig(open);
    await decided(ledger, aSingle('lost'), asking(1, month(100)));
    await taken(ledger);
    await decided(ledger, aSingle('late', { instance: 'i2' }), asking(1, month(100)));
    const next = await reopen();
    expect(await counted(next)).toEqual([0, 2]);
  });

  test('a single text that waited too long lets go', async () => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    clock.advance(11_000);
    await ledger.recover();
    expect(await counted(ledger)).toEqual([0, 0]);
  });

  test.each<[string, Settlement, number[]]>([
    ['sent', sentFor(2), [2, 0]],
    ['rejected', REJECTED, [0, 0]],
  ])('an unknown text stays held until a late answer: %s', async (_state, answer, figures) => {
    const { ledger } = await startRig(open);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    expect(await counted(ledger)).toEqual([0, 1]);
    await ledger.settle(ref, token, answer);
    expect(await counted(ledger)).toEqual(figures);
  });

  test.each([
    ['a charge', 1, [1, 0]],
    ['no charge', 0, [0, 0]],
    ['no figure', undefined, [0, 1]],
  ])('evidence of %s', async (_words, charge, figures) => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    const found = [{ ref, evidence: 'seen', ...(charge !== undefined && { charge }) }];
    expect(await ledger.recordEvidence(marker, 100, found)).toBe(true);
    expect(await counted(ledger)).toEqual(figures);
    // The service's answer replaces the evidence.
    await ledger.settle(ref, token, sentFor(1));
    expect(await counted(ledger)).toEqual([1, 0]);
  });

  test('a person’s word makes held credits used, and later evidence corrects it', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    expect((await ledger.saySent(resendOf(ref), 'U2')).won).toBe(true);
    expect(await counted(ledger)).toEqual([1, 0]);
    clock.advance(30_000);
    await ledger.recordEvidence(await ledger.markBalanceRead('a1'), 100, [
      { ref, evidence: 'none', charge: 0 },
    ]);
    expect(await counted(ledger)).toEqual([0, 0]);
  });

  test('a text that is sent again lets go of its credits, and its resend holds its own, if both would not fit', async () => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aSingle('s1'), asking(1, month(1)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    expect((await decided(ledger, aSingle('other'), asking(1, month(1)))).won).toBe(false);
    const again = aSingle('again', { resends: resendOf(ref) });
    expect((await decided(ledger, again, asking(1, month(1)))).won).toBe(true);
    expect(await counted(ledger)).toEqual([0, 1]);
    // A late answer says that the service charged for the first text after all.
    await ledger.settle(ref, token, sentFor(1));
    expect(await counted(ledger)).toEqual([1, 1]);
  });

  test('a resend that does not fit leaves the unknown text as it was', async () => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aSingle('s1'), asking(1, month(1)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    const again = aSingle('again', { resends: resendOf(ref) });
    expect(await decided(ledger, again, asking(2, month(1)))).toMatchObject({ why: 'over_budget' });
    expect((await ledger.chunks('s1'))[0]?.resentAs).toBeUndefined();
    expect(await counted(ledger)).toEqual([0, 1]);
  });

  test('a late answer that parts a chunk keeps a person’s word for the messages that it leaves unknown', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [2]), asking(2, month(100)));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    await ledger.saySent({ send: 'j1', indexes: [0] }, 'U2');
    expect(await counted(ledger)).toEqual([2, 0]);
    const [one, two] = chunk.messages;
    if (!one || !two) throw new Error('the chunk holds two');
    await ledger.settle(ref, token, resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [two])], 1));
    expect(await counted(ledger)).toEqual([2, 0]);
  });

  test('a resend that is undone gives back all that it took over, also what a late answer left unknown', async () => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aJob('j1', [2]), asking(2, month(100)));
    const { ref, token, chunk } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    await decided(ledger, aJob('again', [2], { resends: resendOf(ref) }), asking(2, month(100)));
    const [one, two] = chunk.messages;
    if (!one || !two) throw new Error('the chunk holds two');
    await ledger.settle(ref, token, resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [two])], 1));
    expect(await counted(ledger)).toEqual([1, 2]);
    expect((await ledger.undo('again', { by: 'U1', details: {}, keeps: null })).won).toBe(true);
    expect(await counted(ledger)).toEqual([1, 1]);
    const [left] = await ledger.unknowns('T1');
    expect(left).toMatchObject({ send: { id: 'j1' }, chunk: { messages: [two] } });
  });

  test.each<[string, Settlement | undefined]>([
    ['rejected', REJECTED],
    ['not sent', NOT_SENT],
    ['given up, since nobody took it', undefined],
  ])('a resend that was %s leaves the unknown text held, and it can be sent again', async (_how, answer) => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aSingle('s1', { topics: ['receipt'] }), asking(1, month(1)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    await decided(ledger, aSingle('again', { resends: resendOf(ref) }), asking(1, month(1)));
    await drain(ledger);
    if (answer) {
      const second = await taken(ledger);
      await ledger.settle(second.ref, second.token, answer);
    } else {
      clock.advance(11_000);
      await ledger.recover();
    }
    expect(await counted(ledger)).toEqual([0, 1]);
    expect((await ledger.chunks('s1'))[0]).not.toHaveProperty('resentAs');
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    const once = aSingle('once more', { resends: resendOf(ref) });
    expect((await decided(ledger, once, asking(1, month(1)))).won).toBe(true);
  });

  test('so does a list of them, stopped or not, unless a part of it was sent, or was itself sent again', async () => {
    const { ledger, clock } = await startRig(open);
    await decided(ledger, aJob('j1', [1, 1]), asking(2, month(2)));
    for (const _ of [1, 2]) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, UNANSWERED);
    }
    clock.advance(30_000);
    const resends = { send: 'j1', indexes: [0, 1] };
    const isResent = async () => (await ledger.chunks('j1')).map(({ resentAs }) => resentAs);
    // A person stops this job before the service got any of it.
    await decided(ledger, aJob('j2', [1, 1], { resends }), asking(2, month(2)));
    const one = await taken(ledger, forJobs());
    await ledger.settle(one.ref, one.token, neverStarted());
    await ledger.stop('j2');
    expect(await isResent()).toEqual([undefined, undefined]);
    expect(await counted(ledger)).toEqual([0, 2]);
    // A person stops this job while its only request is in flight.
    await decided(ledger, aJob('j3', [1, 1], { resends }), asking(2, month(2)));
    const two = await taken(ledger, forJobs());
    await ledger.stop('j3');
    expect(await isResent()).toEqual(['j3', 'j3']);
    await ledger.settle(two.ref, two.token, UNANSWERED);
    expect(await isResent()).toEqual(['j3', 'j3']);
    // A person sends its unknown text again. Only then the service says that it refused the text.
    clock.advance(30_000);
    await decided(ledger, aJob('j4', [1], { resends: resendOf(two.ref) }), asking(1, month(2)));
    await ledger.settle(two.ref, two.token, REJECTED);
    expect(await isResent()).toEqual(['j3', 'j3']);
  });

  test('a resend that is undone keeps what evidence found about the first text meanwhile', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    await decided(ledger, aSingle('again', { resends: resendOf(ref) }), asking(1, month(100)));
    const found = { ref, evidence: 'none', charge: 0 };
    expect(await ledger.recordEvidence(await ledger.markBalanceRead('a1'), 100, [found])).toBe(true);
    expect(await counted(ledger)).toEqual([0, 1]);
    await ledger.undo('again', { by: 'U1', details: {}, keeps: null });
    expect(await counted(ledger)).toEqual([0, 0]);
  });

  test('an exception passes the limit, and counts', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    await ledger.decide('s1', { to: 'awaiting_approval', by: 'U1', approval: { topic: 'approval' } });
    const approved: Decision = { to: 'running', by: 'UADM', budget: asking(1, month(0)) };
    expect(await ledger.decide('s1', { ...approved, approval: {} })).toMatchObject({ why: 'over_budget' });
    expect((await ledger.decide('s1', { ...approved, approval: { exceptBudget: true } })).won).toBe(true);
    expect(await counted(ledger)).toEqual([0, 1]);
    expect((await decided(ledger, aSingle('s2'), asking(1, month(0)))).won).toBe(false);
  });

  test('a channel without limits is counted all the same, so a limit that comes later holds', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aJob('j1', [90]), asking(90, month()));
    expect(await decided(ledger, aJob('j2', [20]), asking(20, month(100)))).toMatchObject({
      over: { left: 10 },
    });
  });

  test('each reader hears of 80 % and 100 % once, from the step that crosses; another limit begins again', async () => {
    const { ledger } = await startRig(open, { permits: 100 });
    const rows = (limit: number, level: number) =>
      ['C1', 'UADM'].map((reader) => `budget:${MONTH}:${limit}:${level}:${reader}`);
    await decided(ledger, aJob('j1', [79]), asking(79, month(100)));
    expect(await drain(ledger)).toEqual([]);
    await decided(ledger, aSingle('s1'), asking(1, month(100)));
    expect((await drain(ledger)).sort()).toEqual(rows(100, 80));
    // A receipt above its estimate can cross a level, too.
    const { ref, token } = await taken(ledger, forSingles());
    await ledger.settle(ref, token, sentFor(21));
    expect((await drain(ledger)).sort()).toEqual(rows(100, 100));
    await decided(ledger, aSingle('s2'), asking(1, month(1000)));
    expect(await drain(ledger)).toEqual([]);
    await decided(ledger, aJob('j2', [700]), asking(700, month(1000)));
    expect((await drain(ledger)).sort()).toEqual(rows(1000, 80));
    await decided(ledger, aSingle('s3'), asking(1, month(1000)));
    expect(await drain(ledger)).toEqual([]);
  });

  test('a budget is deleted once its period is over for long enough', async () => {
    const { ledger } = await startRig(open);
    await decided(ledger, aSingle('s1'), asking(1, month(100), day()));
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, NOT_SENT);
    expect(await ledger.deleteOver('budgets', Date.UTC(2026, 0, 5))).toBe(0);
    expect(await ledger.deleteOver('budgets', Date.UTC(2026, 0, 6))).toBe(1);
    expect(await ledger.findPeriods([{ id: MONTH }, { id: DAY }])).toMatchObject([{ limit: 100 }, undefined]);
  });
}
