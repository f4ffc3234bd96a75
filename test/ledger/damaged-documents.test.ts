import { expect, test } from 'vitest';
import { accountDays, accounts, dailySpending } from '../../src/ledger/accounts/account-documents.ts';
import { namedStates } from '../../src/ledger/accounts/named-states.ts';
import { COLLECTIONS } from '../../src/ledger/collections.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { numbers } from '../../src/ledger/look-up/number-documents.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { BudgetAsked } from '../../src/ledger/model/budget-types.ts';
import { chunkIdOf, texts } from '../../src/ledger/model/chunk-documents.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import { DAY_MS, dayOf } from '../../src/ledger/model/days.ts';
import type { NewSend } from '../../src/ledger/model/decision-types.ts';
import { repeatMarks } from '../../src/ledger/model/once.ts';
import { sends } from '../../src/ledger/model/send-documents.ts';
import { optOutCounts, optOuts } from '../../src/ledger/opt-outs/opt-out-documents.ts';
import { outbox } from '../../src/ledger/outbox/outbox-documents.ts';
import { budgets, guards } from '../../src/ledger/rules/rule-documents.ts';
import { addressOf, type Collection } from '../../src/store/collection.ts';
import { createSteps } from '../../src/store/steps.ts';
import { damageDocument } from '../helpers/damage-document.ts';
import { eachEngine } from '../helpers/each-engine.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  halved,
  handClock,
  inFlight,
  LIMITS,
  REJECTED,
  resolvedPerMessage,
  SENT,
  sentFor,
  states,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { asking, DAY, MONTH, month } from './ledger.contract.budgets.ts';
import { hashOf } from './ledger.contract.numbers.ts';

/** What a damaged document of each kind means. A settlement must always be able to write what the service answered. */

async function decided(ledger: Ledger, send: NewSend, budget: BudgetAsked) {
  await ledger.draft(send);
  return ledger.decide(send.id, { to: 'running', by: 'U1', budget });
}

const readBalance = async (ledger: Ledger, credits: number) =>
  ledger.recordBalance(await ledger.markBalanceRead('a1'), credits);

test('every collection says what a damaged document of it counts as', () => {
  expect(COLLECTIONS.filter(({ whenDamaged }) => !whenDamaged).map(({ name }) => name)).toEqual([]);
});

eachEngine((open) => {
  async function start() {
    const clock = handClock();
    const engine = await open(clock);
    const boot = () => createLedger(createSteps(engine, 20_000), { ...LIMITS, permits: 100 });
    const damage = (of: Collection<never>, id: string) => damageDocument(engine, addressOf(of, id));
    return { clock, boot, damage };
  }

  test('a damaged account: answers are written down, its balance is unknown, its unknown texts are counted', async () => {
    const { clock, boot, damage } = await start();
    await readBalance(boot(), 100);
    const lost = await inFlight(boot(), 's1', { account: 'a1' });
    await boot().settle(lost.ref, lost.token, UNANSWERED);
    clock.advance(LIMITS.leaseMs);
    const { ref, token } = await inFlight(boot(), 's2', { account: 'a1' });
    const before = await boot().markBalanceRead('a1');
    await damage(accounts, 'a1');

    // Seen before anybody writes it again.
    expect(await boot().account('a1')).toBeUndefined();
    expect(await boot().markBalanceRead('a1')).toMatchObject({ nothingSending: false, hasLostBooks: true });
    expect(await boot().funds('a1', { send: 's9', index: 0 })).toEqual({ inFlight: 0 });
    expect(await boot().settle(ref, token, SENT)).toMatchObject({ settled: true, chunk: { state: 'sent' } });
    expect(await boot().markBalanceRead('a1')).toMatchObject({ idle: true, hasLostBooks: true });
    // A read from before the damage proves nothing, and evidence waits for a new baseline.
    expect(await boot().recordBalance(before, 97)).toMatchObject({ quiet: false });
    const found = await boot().evidenceCase('a1');
    expect(found?.unknowns).toMatchObject([{ send: 's1' }]);
    expect(found?.account.booked).toBeUndefined();
    const evidence = [{ ref: lost.ref, evidence: { verdict: 'no_baseline' } }];
    expect(await boot().recordEvidence(await boot().markBalanceRead('a1'), 97, evidence)).toBe(true);
    expect(await boot().evidenceCase('a1')).toBeUndefined();
    const { account } = await readBalance(boot(), 97);
    expect(account.booked).toBe(97);
    expect(await boot().markBalanceRead('a1')).not.toHaveProperty('hasLostBooks');
  });

  test('the damaged texts of a request on its way: its answer counts for each message, and brings them back', async () => {
    const { boot, damage } = await start();
    await confirmed(boot(), aJob('j1', [2, 2], { account: 'a1' }));
    const [first, second] = [await taken(boot(), forJobs()), await taken(boot(), forJobs())];
    for (const { ref } of [first, second]) await damage(texts, chunkIdOf(ref));
    const [one, other] = first.chunk.messages as [LedgerMessage, LedgerMessage];
    const answer = resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [other])]);
    expect(await boot().settle(first.ref, first.token, answer)).toMatchObject({ settled: true });
    const split = halved(second.chunk.messages);
    expect(await boot().settle(second.ref, second.token, split)).toMatchObject({ settled: true });
    const parts = await boot().chunks('j1', { from: 2 });
    expect(parts.map(({ state }) => state)).toEqual(['sent', 'unknown', 'pending', 'pending']);
    const messages = [first, second].flatMap(({ chunk }) => chunk.messages);
    expect(parts.flatMap((part) => part.messages)).toEqual(messages);
  });

  test('a damaged budget is used up, until an admin raises it by what may be sent', async () => {
    const { boot, damage } = await start();
    await decided(boot(), aJob('j1', [10, 10], { account: 'a1' }), asking(20, month(50)));
    await damage(budgets, MONTH);
    expect(await boot().findPeriods([{ id: MONTH }])).toMatchObject([{ isLost: true }]);
    const full = { why: 'over_budget', over: { limit: 50, used: 50, held: 0, left: 0 } };
    expect(await decided(boot(), aSingle('s1'), asking(1, month(50)))).toMatchObject(full);
    const budget = { ...asking(20, month(70)), perMessage: 20 };
    expect(await boot().decide('s1', { to: 'running', by: 'U1', budget })).toMatchObject({ won: true });
    expect(await decided(boot(), aSingle('s2'), asking(1, month(70)))).toMatchObject({
      why: 'over_budget',
      over: { used: 50, held: 20, left: 0 },
    });
  });

  test('a raised limit makes room in a damaged budget that people only looked at before', async () => {
    const { boot, damage } = await start();
    await decided(boot(), aJob('j1', [10, 10], { account: 'a1' }), asking(20, month(50)));
    await damage(budgets, MONTH);
    expect(await boot().findPeriods([month(50)])).toMatchObject([{ used: 50, held: 0 }]);
    expect(await boot().findPeriods([month(70)])).toMatchObject([{ used: 50, held: 0 }]);
    expect(await decided(boot(), aSingle('s1'), asking(20, month(70)))).toMatchObject({ won: true });
  });

  test('what earlier sends free again makes no room in a budget that was damaged', async () => {
    const { clock, boot, damage } = await start();
    await decided(boot(), aJob('j1', [10, 10, 10], { account: 'a1' }), asking(30, month(50)));
    clock.advance(1);
    const answered = async (answer: Settlement) => {
      const { ref, token } = await taken(boot(), forJobs());
      expect((await boot().settle(ref, token, answer)).settled).toBe(true);
    };
    await damage(budgets, MONTH);
    await answered(REJECTED);
    expect(await decided(boot(), aSingle('s1'), asking(1, month(50)))).toMatchObject({ why: 'over_budget' });
    await answered(REJECTED);
    expect(await boot().findPeriods([{ id: MONTH }])).toMatchObject([{ used: 50, held: 0 }]);
    // Texts that cost more than they held count.
    await answered(sentFor(15));
    expect(await boot().findPeriods([{ id: MONTH }])).toMatchObject([{ used: 55, held: 0 }]);
  });

  test('nor does what an unknown text held make room for its resend', async () => {
    const { clock, boot, damage } = await start();
    await decided(boot(), aSingle('s1', { account: 'a1' }), asking(3, month(50)));
    const { ref, token } = await taken(boot());
    await boot().settle(ref, token, UNANSWERED);
    clock.advance(LIMITS.leaseMs);
    await damage(budgets, MONTH);
    const again = aSingle('s2', { account: 'a1', resends: { send: 's1', indexes: [0] } });
    const full = { why: 'over_budget', over: { used: 50, held: 0, left: 0 } };
    expect(await decided(boot(), again, asking(3, month(50)))).toMatchObject(full);
  });

  test('a damaged budget lets a list go on that costs more than it should, once an admin raises the limit', async () => {
    const { clock, boot, damage } = await start();
    await decided(boot(), aJob('j1', [10, 10], { account: 'a1' }), asking(20, month(20)));
    clock.advance(1);
    const { ref, token } = await taken(boot(), forJobs());
    await boot().settle(ref, token, sentFor(12));
    expect((await boot().find('j1'))?.state).toBe('paused');
    await damage(budgets, MONTH);
    const resume = (limit: number) => boot().resume('j1', {}, { limits: { month: limit } });
    expect(await resume(30)).toMatchObject({ won: false, over: { limit: 30, used: 30 } });
    expect(await resume(60)).toEqual({ won: true });
    expect(await boot().findPeriods([{ id: MONTH }])).toMatchObject([{ limit: 60, used: 30 }]);
  });

  test('a damaged budget without a limit stops nobody, and is used up once it gets one', async () => {
    const { clock, boot, damage } = await start();
    await decided(boot(), aSingle('s1'), asking(3, month()));
    await damage(budgets, MONTH);
    expect(await decided(boot(), aSingle('s2'), asking(3, month()))).toMatchObject({ won: true });
    expect(await decided(boot(), aSingle('s3'), asking(1, month(90)))).toMatchObject({
      why: 'over_budget',
      over: { used: 90 },
    });
    clock.advance(40 * DAY_MS);
    expect(await boot().deleteOver('budgets', clock.now())).toBe(1);
  });

  test('a damaged budget of a day is of its person, and retention deletes it after its end', async () => {
    const { clock, boot, damage } = await start();
    const day = { ...month(9), id: DAY, person: 'U1' };
    await decided(boot(), aSingle('s1'), asking(3, day));
    await damage(budgets, DAY);
    expect(await boot().findPeriods([{ id: DAY }])).toMatchObject([
      { team: 'T1', channelId: 'C1', person: 'U1' },
    ]);
    expect(await boot().deleteOver('budgets', clock.now())).toBe(0);
    clock.advance(40 * DAY_MS);
    expect(await boot().deleteOver('budgets', clock.now())).toBe(1);
    expect(await boot().findPeriods([{ id: DAY }])).toEqual([undefined]);
  });

  test('a damaged budget is used up once, though several bots decide at the same moment', async () => {
    const { boot, damage } = await start();
    await decided(boot(), aJob('j1', [20], { account: 'a1' }), asking(20, month(20)));
    for (const id of ['s1', 's2', 's3', 's4']) await boot().draft(aSingle(id, { account: 'a1' }));
    await damage(budgets, MONTH);
    const decide = (id: string, limit: number) =>
      boot().decide(id, { to: 'running', by: 'U1', budget: asking(1, month(limit)) });
    expect(await decide('s1', 20)).toMatchObject({ why: 'over_budget' });
    const all = await Promise.all(['s1', 's2', 's3', 's4'].map((id) => decide(id, 22)));
    expect(all.filter(({ won }) => won)).toHaveLength(2);
    expect(await boot().findPeriods([{ id: MONTH }])).toMatchObject([{ used: 20, held: 2 }]);
  });

  test('the damaged counts of a day begin again at zero', async () => {
    const { clock, boot, damage } = await start();
    await readBalance(boot(), 100);
    const first = await inFlight(boot(), 's1', { account: 'a1' });
    await boot().settle(first.ref, first.token, UNANSWERED);
    const day = dayOf(clock.now());
    const kept = await boot().accountStatement('a1', { from: day, to: day });
    expect(kept?.spending).toMatchObject([{ others: { unknown: 1 } }]);
    await damage(dailySpending, `T1/C1/${day}/U1/a1`);
    await damage(accountDays, `a1/${day}`);
    expect((await boot().settle(first.ref, first.token, sentFor(3))).settled).toBe(true);
    const second = await inFlight(boot(), 's2', { account: 'a1' });
    expect((await boot().settle(second.ref, second.token, REJECTED)).settled).toBe(true);
    expect(await boot().spentSince('T1', 'C1', clock.now())).toEqual({ credits: 3, messages: 1 });
  });

  test('a damaged outbox row is not posted, holds up no answer, and later news begins it again', async () => {
    const { boot, damage } = await start();
    const attempts = [];
    for (const id of ['s1', 's2']) {
      const attempt = await inFlight(boot(), id, { topics: ['receipt'] });
      attempts.push(attempt);
      await boot().settle(attempt.ref, attempt.token, UNANSWERED);
    }
    await damage(outbox, 'receipt:s1');
    expect(await drain(boot())).toEqual(['receipt:s2']);
    // Late answers are news for both rows.
    for (const { ref, token } of attempts) {
      expect((await boot().settle(ref, token, SENT)).settled).toBe(true);
    }
    expect((await drain(boot())).sort()).toEqual(['receipt:s1', 'receipt:s2']);
    await damage(outbox, 'receipt:s2');
    expect(await boot().takeDue('t1', 1000)).toBeUndefined();
    expect(await boot().nextDueAt()).toBeUndefined();
  });

  test('a row that is damaged while a bot posts it is not posted again', async () => {
    const { clock, boot, damage } = await start();
    await boot().announce({ id: 'news', topic: 'news', subject: 's', details: null });
    expect(await boot().takeDue('t1', 1000)).toMatchObject({ id: 'news' });
    await damage(outbox, 'news');
    expect(await boot().extendPosting('news', 't1', 1000)).toBe(false);
    await boot().markPosted('news', 't1', { ts: '1' });
    clock.advance(2000);
    expect(await boot().takeDue('t2', 1000)).toBeUndefined();
  });

  test('a damaged claim of words: the next person is asked, a list leaves the text out, until somebody allows it', async () => {
    const { boot, damage } = await start();
    const words = { hash: 'hello', repeatGuardMs: 1000 };
    for (const id of ['s1', 's2']) await boot().draft(aSingle(id));
    await boot().decide('s1', { to: 'running', by: 'U1', words });
    await damage(guards, 'T1/hello');
    const asked = await boot().decide('s2', { to: 'running', by: 'U1', words });
    expect(asked).toMatchObject({ why: 'same_words', same: { by: '', state: 'unknown' } });
    const job = await confirmed(boot(), aJob('j1', [1]));
    const { token } = await taken(boot(), forJobs());
    expect(await boot().claimChunk(job, { index: 0, token, words: [words] })).toEqual([0]);
    expect(await boot().whichRepeat('T1', ['hello', 'other'])).toEqual(new Set(['hello']));
    const allowed = asked.won || asked.why !== 'same_words' ? '' : asked.same.send;
    expect((await boot().decide('s2', { to: 'running', by: 'U1', words: { ...words, allowed } })).won).toBe(
      true,
    );
    expect(await boot().sameWords('T1', 'hello')).toMatchObject({ send: 's2', by: 'U1' });
  });

  test('a draft in the place of a damaged one may be sent already: somebody may have sent that', async () => {
    const { boot, damage } = await start();
    await boot().draft(aSingle('s1'));
    await damage(sends, 's1');
    await boot().draft(aSingle('s2', { replaces: 's1' }));
    const sending = { to: 'running', by: 'U1' } as const;
    expect(await boot().decide('s2', sending)).toMatchObject({ won: false, why: 'may_be_sent' });
    expect((await boot().decide('s2', { ...sending, evenIfSent: 'true' })).won).toBe(true);
  });

  test('nobody writes a draft over a damaged send', async () => {
    const { boot, damage } = await start();
    await boot().draft(aSingle('s1'));
    await damage(sends, 's1');
    await expect(boot().draft(aSingle('s1'))).rejects.toThrow('there is a send s1 already');
    await expect(boot().appendChunks('s1', [])).rejects.toThrow('no draft');
    expect(await boot().decide('s1', { to: 'running', by: 'U1' })).toEqual({ won: false, why: 'missing' });
  });

  test('a damaged mark counts as a repeat, for its time', async () => {
    const { clock, boot, damage } = await start();
    expect(await boot().firstTime('click', 1000)).toBe(true);
    await damage(repeatMarks, 'click');
    expect(await boot().firstTime('click', 1000)).toBe(false);
    clock.advance(1001);
    expect(await boot().firstTime('click', 1000)).toBe(true);
  });

  test('a damaged opt-out holds; people see it, can opt in, and can opt others out', async () => {
    const { boot, damage } = await start();
    const cause = { by: 'U1', via: 'command' } as const;
    const change = (to: 'out' | 'in', hash: string) =>
      boot().changeOptOuts({ team: 'T1', to, cause, entries: [{ hash, sealed: `sealed ${hash}` }] });
    for (const hash of ['a', 'b']) await change('out', hash);
    await damage(optOuts, 'T1/a');
    await damage(optOutCounts, 'T1');
    expect(await boot().whichOptedOut('T1', ['a', 'b', 'c'])).toEqual(new Set(['a', 'b']));
    expect(await boot().listOptOuts('T1', { limit: 5 })).toMatchObject([
      { hash: 'b' },
      { hash: 'a', changes: [] },
    ]);
    expect(await change('out', 'c')).toBe(1);
    expect(await boot().countOptOuts('T1')).toBe(1);
    expect(await boot().teamsWithOptOuts()).toEqual(['T1']);
    for (const hash of ['a', 'b', 'c']) expect(await change('in', hash)).toBe(1);
    expect(await boot().countOptOuts('T1')).toBe(0);
    expect(await boot().whichOptedOut('T1', ['a', 'b', 'c'])).toEqual(new Set());
    expect(await boot().listOptOuts('T1', { limit: 5 })).toEqual([]);
  });

  test('a damaged state begins again', async () => {
    const { boot, damage } = await start();
    const to = (state: string, from: string | undefined) =>
      boot().changeState('credit:C1', { from, to: state, details: null });
    expect(await to('low', undefined)).toBe(true);
    await damage(namedStates, 'credit:C1');
    expect(await boot().namedState('credit:C1')).toBeUndefined();
    expect(await to('low', undefined)).toBe(true);
    expect(await to('armed', 'low')).toBe(true);
  });

  test('a damaged leaf of the look-up begins again empty, and keeps its range', async () => {
    const { boot, damage } = await start();
    const sizes = Array.from({ length: 4 }, () => 50);
    const job = aJob('j1', sizes);
    await confirmed(boot(), job);
    const phones = job.chunks.flat().map(({ phone }) => phone);
    for (let chunk = 0; chunk < sizes.length; chunk += 1) {
      const { ref, token } = await taken(boot(), forJobs());
      await boot().settle(ref, token, SENT);
    }
    while (await boot().listNumbers(hashOf));
    const known = async () => {
      const found = await Promise.all(phones.map((phone) => boot().lookUp('T1', hashOf('T1', phone), 0)));
      return found.filter(({ length }) => length > 0).length;
    };
    expect(await known()).toBe(200);
    await damage(numbers, 'T1/');
    const left = await known();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(200);
    await confirmed(boot(), { ...job, id: 'j2' });
    for (let chunk = 0; chunk < sizes.length; chunk += 1) {
      const { ref, token } = await taken(boot(), forJobs());
      await boot().settle(ref, token, SENT);
    }
    while (await boot().listNumbers(hashOf));
    expect(await known()).toBe(200);
    expect(await states(boot(), 'j2')).toEqual(['sent', 'sent', 'sent', 'sent']);
  });
});
