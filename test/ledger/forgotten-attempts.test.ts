import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import { chunkIdOf } from '../../src/ledger/model/chunk-documents.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { NewSend } from '../../src/ledger/model/decision-types.ts';
import { sends } from '../../src/ledger/model/send-documents.ts';
import type { MadeAttempt } from '../../src/ledger/sends/forgotten-attempts.ts';
import { createSteps } from '../../src/store/steps.ts';
import { damageDocument } from '../helpers/damage-document.ts';
import { dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import { forgetfulEngine } from '../helpers/forgetful-engine.ts';
import {
  type Attempt,
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  GARBLED,
  halved,
  handClock,
  LIMITS,
  NOT_SENT,
  neverStarted,
  REJECTED,
  refused,
  resendOf,
  resolvedPerMessage,
  SENT,
  sentFor,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** The answer to an attempt, from the bot that made it. */
function settle(
  ledger: Ledger,
  { ref, token, send, chunk }: Attempt,
  settlement: Settlement,
  how: Pick<MadeAttempt, 'isRepeated' | 'words'> = {},
) {
  const made = { rateLimitKey: 'k1', account: 'a1', attempt: chunk.attempt, send, ...how };
  return ledger.settle(ref, token, settlement, made);
}

/** Two bots on a store that can fail over. */
function startPair() {
  const clock = handClock();
  const forgetful = forgetfulEngine(clock.now);
  const engine = dumpable(forgetful);
  const all = [createSteps(engine), createSteps(engine)] as const;
  const [mine, others] = [createLedger(all[0], LIMITS), createLedger(all[1], LIMITS)];
  onTestFinished(async () => expectWhole(await engine.dump()));
  return {
    clock,
    engine,
    mine,
    others,
    cutOff: forgetful.cutOff,
    /** Both bots have reconnected, and go on after this. */
    async failOver(doubt = 'r2') {
      const at = clock.now();
      forgetful.failOver();
      for (const steps of all) steps.forget();
      await others.presumeForgotten({ begunBefore: at, doubt });
      await mine.presumeForgotten({ begunBefore: at, doubt });
    },
  };
}

/** A text whose decision the replica knows, and whose attempt it does not. */
async function forgotten(over: Partial<NewSend> = { account: 'a1' }) {
  const pair = startPair();
  await confirmed(pair.mine, aSingle('s1', { topics: ['receipt'], ...over }));
  pair.cutOff();
  const attempt = await taken(pair.mine);
  pair.clock.advance(500);
  return { ...pair, attempt };
}

describe('a text whose attempt the store has forgotten', () => {
  test('is not taken again, by anybody', async () => {
    const { mine, others, failOver } = await forgotten();
    await failOver();
    for (const ledger of [mine, others]) expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await states(others, 's1')).toEqual(['sending']);
    expect((await others.undo('s1', { by: 'U1', details: {}, keeps: null })).won).toBe(false);
  });

  test.each<[string, Settlement]>([
    ['sent', SENT],
    ['rejected', REJECTED],
    ['unknown', UNANSWERED],
    ['unknown', GARBLED],
  ])('becomes %s by the answer that its bot still gets', async (state, settlement) => {
    const { mine, others, clock, failOver, attempt } = await forgotten();
    await failOver();
    clock.advance(500);
    const settled = await settle(mine, attempt, settlement);
    expect(settled).toMatchObject({
      settled: true,
      send: { state: 'finished' },
      chunk: { state, token: attempt.token },
    });
    expect(await states(others, 's1')).toEqual([state]);
    expect(await drain(others)).toEqual(['receipt:s1']);
    expect((await settle(mine, attempt, settlement)).settled).toBe(true);
  });

  test('is not taken again, either, if somebody had set the clock back before the attempt', async () => {
    const { clock, mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aSingle('s1', { account: 'a1' }));
    clock.advance(-3_600_000);
    cutOff();
    const attempt = await taken(mine);
    await failOver();
    expect(await others.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await settle(mine, attempt, SENT)).toMatchObject({ settled: true });
  });

  test('becomes sent by an answer that comes before anybody has presumed anything', async () => {
    const { mine, failOver, attempt } = await forgotten();
    const answers = failOver();
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    await answers;
    expect(await states(mine, 's1')).toEqual(['sent']);
  });

  test('is unknown after a lease if nobody has an answer, and a late answer still counts', async () => {
    const { mine, others, clock, failOver, attempt } = await forgotten();
    await failOver();
    clock.advance(LIMITS.leaseMs - 1);
    await others.recover();
    expect(await states(others, 's1')).toEqual(['sending']);
    clock.advance(1);
    await others.recover();
    expect((await others.unknowns()).map(({ send }) => send.id)).toEqual(['s1']);
    expect(await drain(others)).toEqual(['receipt:s1']);
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    expect(await states(others, 's1')).toEqual(['sent']);
    expect(await drain(others)).toEqual(['receipt:s1']);
  });

  test.each([
    ['pending', neverStarted()],
    ['pending', refused(1000)],
    ['not sent', NOT_SENT],
  ])('stays presumed if its bot says %s: the store may have forgotten a later attempt', async (_, back) => {
    const { mine, others, clock, failOver, attempt } = await forgotten();
    await failOver();
    expect(await settle(mine, attempt, back)).toEqual({ settled: false });
    clock.advance(LIMITS.leaseMs);
    await others.recover();
    expect(await states(others, 's1')).toEqual(['unknown']);
  });

  test('becomes sent by an answer that its bot writes again, since the store has forgotten it, too', async () => {
    const { mine, others, failOver, attempt } = await forgotten();
    await settle(mine, attempt, SENT);
    await failOver();
    expect(await states(others, 's1')).toEqual(['sending']);
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    expect(await states(others, 's1')).toEqual(['sent']);
  });

  test('is not ended by anybody who did not make the attempt', async () => {
    const { mine, failOver, attempt } = await forgotten();
    await failOver();
    expect(await mine.settle(attempt.ref, attempt.token, SENT)).toEqual({ settled: false });
    const made = { rateLimitKey: 'k1', account: 'a1', attempt: 0, send: attempt.send };
    expect(await mine.settle(attempt.ref, attempt.token, SENT, made)).toEqual({ settled: false });
  });

  test('is on its way for its account, so no balance is compared with the books meanwhile', async () => {
    const { mine, others, failOver, attempt } = await forgotten();
    await failOver();
    expect((await others.markBalanceRead('a1')).nothingSending).toBe(false);
    await settle(mine, attempt, SENT);
    expect((await others.markBalanceRead('a1')).nothingSending).toBe(true);
  });

  test('of an earlier version, which does not say who pays, gets its answer', async () => {
    const { mine, failOver, attempt } = await forgotten({});
    await failOver();
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    expect(await states(mine, 's1')).toEqual(['sent']);
  });
});

describe('what the store has forgotten of a text', () => {
  test('its second attempt: an answer to the first does not make it wait again', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aSingle('s1'));
    const first = await taken(mine);
    await settle(mine, first, neverStarted());
    cutOff();
    await taken(others);
    await failOver();
    expect(await settle(mine, first, neverStarted())).toEqual({ settled: false });
    expect(await mine.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await states(mine, 's1')).toEqual(['sending']);
  });

  test('the end of its first attempt, and its second one: nobody takes it a third time', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aSingle('s1', { account: 'a1' }));
    const first = await taken(mine);
    cutOff();
    // My bot does not hear that the store has written this, and writes it again later.
    await settle(mine, first, neverStarted());
    const second = await taken(others);
    await failOver();
    await settle(mine, first, neverStarted(), { isRepeated: true });
    expect(await mine.take(forSingles())).toEqual({ kind: 'idle' });
    expect((await settle(others, second, SENT)).settled).toBe(true);
    expect(await states(mine, 's1')).toEqual(['sent']);
  });

  test('nothing of an attempt on its way: its end counts if its bot writes it for the first time', async () => {
    const { mine, others, failOver } = startPair();
    await confirmed(mine, aSingle('s1', { account: 'a1' }));
    const first = await taken(mine);
    await failOver();
    expect((await settle(mine, first, neverStarted())).settled).toBe(true);
    expect((await taken(others)).chunk.attempt).toBe(2);
  });

  test.each<[string, Settlement]>([
    ['sent', SENT],
    ['rejected', REJECTED],
    ['unknown', UNANSWERED],
  ])(
    'its decision, too: the text becomes %s by its answer, and nobody can send it again',
    async (state, answer) => {
      const { mine, others, cutOff, failOver } = startPair();
      await mine.draft(aSingle('s1', { topics: ['receipt'] }));
      cutOff();
      await mine.decide('s1', { to: 'running', by: 'U1' });
      const attempt = await taken(mine);
      await failOver();
      expect(await others.find('s1')).toMatchObject({ state: 'draft' });
      expect(await settle(mine, attempt, answer)).toMatchObject({
        settled: true,
        send: { state: 'finished', decidedBy: 'U1' },
      });
      expect(await states(others, 's1')).toEqual([state]);
      expect(await drain(others)).toEqual(['receipt:s1']);
      expect(await others.decide('s1', { to: 'running', by: 'U1' })).toMatchObject({
        won: false,
        why: 'decided',
      });
    },
  );

  test('its approval, too: the request is approved again by the answer', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await mine.draft(aSingle('s1', { topics: ['receipt'] }));
    await mine.decide('s1', { to: 'awaiting_approval', by: 'U1', approval: { topic: 'request' } });
    expect(await drain(mine)).toEqual(['request:s1']);
    cutOff();
    await mine.decide('s1', { to: 'running', by: 'U2', approval: {} });
    const attempt = await taken(mine);
    await failOver();
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    expect(await others.awaitingApproval('T1')).toEqual([]);
    expect(await others.find('s1')).toMatchObject({ state: 'finished', approval: { by: 'U2' } });
    expect((await drain(others)).sort()).toEqual(['receipt:s1', 'request:s1']);
  });

  test('its decision to resend, too: the answer also says that the first text was resent', async () => {
    const { clock, mine, others, cutOff, failOver } = startPair();
    const first = await unknownSingle(mine, 's1');
    clock.advance(LIMITS.leaseMs);
    await mine.draft(aSingle('s2', { resends: resendOf(first.ref) }));
    cutOff();
    await mine.decide('s2', { to: 'running', by: 'U1' });
    const attempt = await taken(mine);
    await failOver();
    expect((await settle(mine, attempt, SENT)).settled).toBe(true);
    expect((await others.chunks('s1'))[0]).toMatchObject({ resentAs: 's2' });
  });

  test('its decision, too: the repeat guard knows it again once its answer comes', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await mine.draft(aSingle('s1'));
    cutOff();
    const words = { hash: 'h', repeatGuardMs: 60_000 };
    await mine.decide('s1', { to: 'running', by: 'U1', words });
    const attempt = await taken(mine);
    await failOver();
    expect(await others.sameWords('T1', 'h')).toBeUndefined();
    await settle(mine, attempt, SENT, { words: [words] });
    expect(await others.sameWords('T1', 'h')).toMatchObject({ send: 's1', by: 'U1', state: 'sent' });
  });

  test('its draft, too: its answer changes nothing', async () => {
    const { mine, cutOff, failOver } = startPair();
    cutOff();
    await confirmed(mine, aSingle('s1'));
    const attempt = await taken(mine);
    await failOver();
    expect(await settle(mine, attempt, SENT)).toEqual({ settled: false });
  });

  test('nothing: a text that another bot has taken since keeps its own attempt', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aSingle('s1'));
    const first = await taken(mine);
    await settle(mine, first, neverStarted());
    await failOver();
    cutOff();
    expect((await others.chunks('s1'))[0]).toMatchObject({ state: 'sending', attempt: 1 });
    expect(await settle(mine, first, SENT)).toEqual({ settled: false });
  });
});

describe('a draft that somebody may have sent, since the store may have forgotten that', () => {
  const FOR_SENDING = { to: 'running', by: 'U1' } as const;
  const MAY_BE_SENT = { won: false, why: 'may_be_sent' };

  /** The replica has the draft, and lacks its decision and the attempt at it. */
  async function sentBefore() {
    const pair = startPair();
    await pair.mine.draft(aSingle('s1', { account: 'a1', topics: ['receipt'] }));
    pair.cutOff();
    await pair.mine.decide('s1', FOR_SENDING);
    const first = await taken(pair.mine);
    await pair.failOver();
    return { ...pair, first };
  }

  test('is not sent a second time before its person knows', async () => {
    const { others } = await sentBefore();
    expect(await others.decide('s1', FOR_SENDING)).toMatchObject(MAY_BE_SENT);
    expect(await others.take(forSingles())).toEqual({ kind: 'idle' });
    expect((await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' })).won).toBe(true);
    expect((await taken(others)).ref.send).toBe('s1');
  });

  test('after a second failover, who knows only of the first does not send it', async () => {
    const { others, failOver } = await sentBefore();
    await failOver('r3');
    const after = (evenIfSent: string) => others.decide('s1', { ...FOR_SENDING, evenIfSent });
    expect(await after('r2')).toMatchObject({ ...MAY_BE_SENT, send: { mayBeSent: 'r3' } });
    expect((await after('r3')).won).toBe(true);
  });

  test('is asked about again, not sent, if an earlier version marked it', async () => {
    const { mine, others, engine, clock } = startPair();
    await mine.draft(aSingle('s1'));
    await createSteps(engine).run((view) => {
      const send = view.get(sends, 's1');
      if (send) view.put(sends, 's1', { ...send, record: { ...send.record, mayBeSent: true } });
    });
    expect(await others.decide('s1', FOR_SENDING)).toMatchObject(MAY_BE_SENT);
    await others.presumeForgotten({ begunBefore: clock.now(), doubt: 'r2' });
    expect(await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'true' })).toMatchObject(MAY_BE_SENT);
    expect((await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' })).won).toBe(true);
  });

  test('nor a list', async () => {
    const { mine, others, failOver } = startPair();
    await mine.draft(aJob('j1', [2]));
    await failOver();
    expect(await others.decide('j1', FOR_SENDING)).toMatchObject(MAY_BE_SENT);
  });

  test('nor a request for approval, whoever asked when', async () => {
    const { mine, others, failOver } = startPair();
    await mine.draft(aSingle('s1'));
    await mine.draft(aSingle('s2'));
    const ask = { to: 'awaiting_approval', by: 'U1', approval: { topic: 'request' } } as const;
    await mine.decide('s1', ask);
    await failOver();
    await mine.decide('s2', ask);
    for (const id of ['s1', 's2']) {
      const approve = { to: 'running', by: 'U2', approval: {} } as const;
      expect(await others.decide(id, approve)).toMatchObject(MAY_BE_SENT);
      expect((await others.decide(id, { ...approve, evenIfSent: 'r2' })).won).toBe(true);
    }
  });

  test('goes out no second time if the first answer comes before anybody takes it again', async () => {
    const { mine, others, first } = await sentBefore();
    expect((await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' })).won).toBe(true);
    expect((await settle(mine, first, SENT)).settled).toBe(true);
    expect(await others.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await states(others, 's1')).toEqual(['sent']);
  });

  test('is sent twice on a person’s word; the first answer, if it comes too late, is noted beside the second', async () => {
    const { clock, mine, others, first } = await sentBefore();
    await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' });
    const readBalance = async (credits: number) =>
      others.recordBalance(await others.markBalanceRead('a1'), credits);
    await readBalance(97);
    const second = await taken(others);
    expect((await settle(mine, first, REJECTED)).settled).toBe(false);
    expect((await others.chunks('s1'))[0]).not.toHaveProperty('sentBefore');
    expect((await settle(others, second, SENT)).settled).toBe(true);
    await drain(others);
    expect((await settle(mine, first, sentFor(3))).settled).toBe(false);
    // The same answer may come again.
    expect((await settle(mine, first, sentFor(3))).settled).toBe(false);
    expect(await others.chunks('s1')).toMatchObject([{ state: 'sent', sentBefore: 3 }]);
    expect(await others.tally('s1')).toMatchObject({ creditsUsed: 4, states: { sent: { messages: 1 } } });
    expect(await drain(others)).toEqual(['receipt:s1']);

    await readBalance(93);
    const day = Math.floor(clock.now() / 86_400_000);
    const statement = await others.accountStatement('a1', { from: day, to: day });
    expect(statement).toMatchObject({
      books: { opening: 97, closing: 93, days: [{ differences: [{ kind: 'elsewhere', credits: 0 }] }] },
      spending: [{ credits: 4, messages: 1 }],
    });
  });

  test('goes out no second time if the first answer comes while the second attempt waits for its key', async () => {
    const { mine, others, first } = await sentBefore();
    await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' });
    const second = await taken(others);
    const turnedAway: Settlement = { to: 'pending', request: { restMs: 1000 }, waitMs: 0 };
    expect((await settle(others, second, turnedAway)).settled).toBe(true);
    // The store may not have answered.
    expect((await settle(others, second, turnedAway)).settled).toBe(true);
    expect((await settle(mine, first, SENT)).settled).toBe(true);
    expect(await states(others, 's1')).toEqual(['sent']);
    expect((await others.chunks('s1'))[0]).not.toHaveProperty('sentBefore');
  });

  test('counts the first answer once, also if it comes again while the second attempt waits', async () => {
    const { mine, others, first } = await sentBefore();
    await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' });
    const second = await taken(others);
    await settle(mine, first, SENT);
    expect((await settle(others, second, neverStarted())).settled).toBe(true);
    expect((await settle(mine, first, SENT)).settled).toBe(false);
    expect(await others.tally('s1')).toMatchObject({ creditsUsed: 1 });
    expect(await others.chunks('s1')).toMatchObject([{ state: 'pending', sentBefore: 1 }]);
  });

  test('keeps the note of the first answer, if the second one comes after it', async () => {
    const { mine, others, first } = await sentBefore();
    await others.decide('s1', { ...FOR_SENDING, evenIfSent: 'r2' });
    const second = await taken(others);
    await settle(mine, first, SENT);
    await settle(others, second, UNANSWERED);
    expect(await others.chunks('s1')).toMatchObject([{ state: 'unknown', sentBefore: 1 }]);
  });

  test('nor in the place of a draft that took over its words', async () => {
    const { mine, others, failOver } = startPair();
    for (const id of ['s1', 's3']) await mine.draft(aSingle(id));
    await failOver();
    await mine.draft(aSingle('s2', { replaces: 's1' }));
    await mine.decide('s3', { to: 'superseded', by: 'U1' });
    await mine.draft(aSingle('s4', { replaces: 's3' }));
    for (const id of ['s2', 's4']) expect(await others.decide(id, FOR_SENDING)).toMatchObject(MAY_BE_SENT);
    await mine.draft(aSingle('s5'));
    for (const replaces of ['s5', 'gone']) {
      await mine.draft(aSingle(`after-${replaces}`, { replaces }));
      expect((await others.decide(`after-${replaces}`, FOR_SENDING)).won).toBe(true);
    }
  });

  test('can be cancelled', async () => {
    const { mine, others, failOver } = startPair();
    await mine.draft(aSingle('s1'));
    await failOver();
    expect((await others.decide('s1', { to: 'cancelled', by: 'U1' })).won).toBe(true);
  });

  test('is sent without further words if the store lacks no decision', async () => {
    const { mine, others, clock } = startPair();
    await mine.draft(aSingle('s1'));
    await others.presumeForgotten({ begunBefore: clock.now() });
    expect((await others.decide('s1', FOR_SENDING)).won).toBe(true);
  });

  test('is sent without further words if it was drafted after the failover', async () => {
    const { mine, others, clock, failOver } = startPair();
    await failOver();
    const at = clock.now();
    clock.advance(1);
    await mine.draft(aSingle('s1'));
    await others.presumeForgotten({ begunBefore: at, doubt: 'r2' });
    expect((await others.decide('s1', FOR_SENDING)).won).toBe(true);
  });
});

describe('a text that nobody can have taken', () => {
  test('waits on if its undo time is not over', async () => {
    const { mine, others, clock, failOver } = startPair();
    await mine.draft(aSingle('s1'));
    await mine.decide('s1', { to: 'running', by: 'U1', startsInMs: 5000 });
    await failOver();
    expect(await states(others, 's1')).toEqual(['pending']);
    clock.advance(5000);
    expect((await taken(others)).ref.send).toBe('s1');
  });

  test('goes out if it was decided after the failover', async () => {
    const { mine, others, clock, failOver } = startPair();
    await failOver();
    const at = clock.now();
    clock.advance(1);
    await confirmed(mine, aSingle('s1'));
    await others.presumeForgotten({ begunBefore: at, doubt: 'r2' });
    expect((await taken(others)).ref.send).toBe('s1');
  });
});

test('an answer that is written again counts once, even if its chunk was damaged meanwhile', async () => {
  const engine = createMemoryEngine(handClock().now);
  const [mine, others] = [createSteps(engine), createSteps(engine)].map((one) => createLedger(one, LIMITS));
  if (!mine || !others) return expect.unreachable();
  await confirmed(mine, aSingle('s1', { account: 'a1' }));
  const attempt = await taken(mine);
  await settle(mine, attempt, SENT);
  await damageDocument(engine, { collection: 'chunks', id: chunkIdOf(attempt.ref) });
  expect(await settle(others, attempt, SENT)).toEqual({ settled: false });
  expect((await others.tally('s1'))?.states.sent).toEqual({ chunks: 1, messages: 1 });
});

test('many texts are presumed to be taken in few commits: meanwhile every step of the bot waits', async () => {
  const { clock, engine, mine } = startPair();
  for (let at = 0; at < 100; at += 1) await confirmed(mine, aSingle(`s${at}`));
  const commit = vi.spyOn(engine, 'commit');
  await mine.presumeForgotten({ begunBefore: clock.now(), doubt: 'r2' });
  expect(commit.mock.calls.length).toBeLessThan(10);
  expect(await mine.take(forSingles())).toEqual({ kind: 'idle' });
});

describe('a list under way, whose requests the store may have forgotten', () => {
  const mark = async ({ find }: Ledger) => (await find('j1'))?.mayLackRequests;

  test('says so until its next chunk is taken: before that, the account’s balance decides', async () => {
    const { mine, others, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2, 2]));
    expect(await mark(others)).toBeUndefined();
    await failOver();
    expect(await mark(others)).toBe('r2');
    expect((await taken(others, forJobs())).ref.send).toBe('j1');
    expect(await mark(others)).toBeUndefined();
  });

  test('says so no more once somebody resumes it', async () => {
    const { mine, others, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2]));
    await mine.pause('j1', 'person');
    await failOver();
    expect(await mark(others)).toBe('r2');
    expect(await others.resume('j1', {}, { doubt: 'r2' })).toEqual({ won: true });
    expect(await mark(others)).toBeUndefined();
  });

  test('names the last failover: nobody resumes it who knows only of an earlier one', async () => {
    const { mine, others, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2]));
    await mine.pause('j1', 'person');
    await failOver();
    await failOver('r3');
    for (const doubt of [undefined, 'r2']) {
      expect(await others.resume('j1', {}, { doubt })).toEqual({ won: false });
    }
    expect(await others.resume('j1', {}, { doubt: 'r3' })).toEqual({ won: true });
  });

  test.each([false, true])(
    'gives back nothing of what it resends if somebody stops it: it was sent after all (%s)',
    async (isAnswerFirst) => {
      const { mine, others, clock, cutOff, failOver } = startPair();
      await confirmed(mine, aJob('j1', [2, 2], { account: 'a1' }));
      const first = [await taken(mine, forJobs()), await taken(mine, forJobs())];
      for (const attempt of first) await settle(mine, attempt, UNANSWERED);
      clock.advance(LIMITS.leaseMs + 1);
      const chunks = first.map(({ chunk }) => chunk.messages);
      await confirmed(mine, aJob('again', [], { chunks, resends: { send: 'j1', indexes: [0, 1] } }));
      cutOff();
      const again = await taken(mine, forJobs());
      await failOver();
      if (isAnswerFirst) await settle(mine, again, SENT);
      await others.stop('again');
      await settle(mine, again, SENT);
      expect(await states(others, 'again')).toEqual(['sent', 'cancelled']);
      expect((await others.chunks('j1')).map(({ resentAs }) => resentAs)).toEqual(['again', 'again']);
    },
  );

  test.each([
    { why: 'the store lacks no request', what: {}, isServed: false },
    { why: 'another bot works on it at the new server already', what: { doubt: 'r2' }, isServed: true },
  ])('does not say so if $why', async ({ what, isServed }) => {
    const { mine, others, clock } = startPair();
    await confirmed(mine, aJob('j1', [2, 2]));
    const at = clock.now();
    clock.advance(1);
    if (isServed) await taken(others, forJobs());
    await mine.presumeForgotten({ begunBefore: at, ...what });
    expect(await mark(others)).toBeUndefined();
  });

  test('says so, too, if somebody had set the clock back before', async () => {
    const { clock, mine, others, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2]));
    await mine.draft(aSingle('s1'));
    clock.advance(-3_600_000);
    await failOver();
    expect(await mark(others)).toBe('r2');
    expect((await others.find('s1'))?.mayBeSent).toBe('r2');
  });

  test('nor if its undo time is not over', async () => {
    const { mine, others, failOver } = startPair();
    await mine.draft(aJob('j1', [2]));
    await mine.decide('j1', { to: 'running', by: 'U1', startsInMs: 5000 });
    await failOver();
    expect(await mark(others)).toBeUndefined();
  });
});

describe('a chunk of a list whose attempt the store has forgotten', () => {
  /** Both bots have taken two of four chunks each. The replica knows none of these attempts. */
  async function fourTaken() {
    const pair = startPair();
    const { mine, others, cutOff, failOver } = pair;
    await confirmed(mine, aJob('j1', [2, 2, 2, 2, 1], { account: 'a1' }));
    cutOff();
    const attempts = [await taken(mine, forJobs())];
    for (const bot of [others, mine, others]) attempts.push(await taken(bot, forJobs()));
    await failOver();
    return { ...pair, attempts };
  }

  test('has the outcome of its answer, in whatever order answers come', async () => {
    const { mine, others, attempts } = await fourTaken();
    const [first, second, third, fourth] = attempts as [Attempt, Attempt, Attempt, Attempt];
    expect((await settle(others, fourth, sentFor(2, 90))).settled).toBe(true);
    expect((await settle(others, second, REJECTED)).settled).toBe(true);
    expect((await settle(mine, third, UNANSWERED)).settled).toBe(true);
    expect(await states(mine, 'j1')).toEqual(['pending', 'rejected', 'unknown', 'sent', 'pending']);
    expect((await settle(mine, first, sentFor(2, 88))).settled).toBe(true);
    expect(await mine.tally('j1')).toMatchObject({ creditsUsed: 4 });
    // The same answer may come again.
    expect((await settle(mine, first, sentFor(2, 88))).settled).toBe(true);
    expect(await mine.tally('j1')).toMatchObject({ creditsUsed: 4 });
    expect((await taken(others, forJobs())).ref.index).toBe(4);
    expect(await others.take(forJobs())).toEqual({ kind: 'idle' });
  });

  test('waits if nobody has its answer, and is taken before those behind it', async () => {
    const { mine, others, attempts } = await fourTaken();
    const [, second, , fourth] = attempts as [Attempt, Attempt, Attempt, Attempt];
    await settle(others, fourth, SENT);
    await settle(others, second, SENT);
    const next = [await taken(mine, forJobs()), await taken(mine, forJobs()), await taken(mine, forJobs())];
    expect(next.map(({ ref }) => ref.index)).toEqual([0, 2, 4]);
  });

  test('puts the list into doubt again by its answer, if it went on before: the store may lack more', async () => {
    const { mine, others, attempts } = await fourTaken();
    const mark = async () => (await others.find('j1'))?.mayLackRequests;
    await taken(others, forJobs());
    expect(await mark()).toBeUndefined();
    await settle(mine, attempts[2] as Attempt, sentFor(2));
    expect(await mark()).toBe(true);
  });

  test('has the outcome of its answer, though somebody has stopped the list since: it was not cancelled', async () => {
    const { mine, others, attempts } = await fourTaken();
    const [first, second] = attempts as [Attempt, Attempt, Attempt, Attempt];
    await settle(others, second, neverStarted());
    expect(await others.stop('j1')).toBe(true);
    expect((await settle(mine, first, sentFor(2))).settled).toBe(true);
    expect((await settle(others, second, neverStarted())).settled).toBe(false);
    expect(await states(mine, 'j1')).toEqual(['sent', 'cancelled', 'cancelled', 'cancelled', 'cancelled']);
    expect(await mine.tally('j1')).toMatchObject({ creditsUsed: 2, states: { cancelled: { messages: 7 } } });
  });

  test('with several outcomes in one answer has these', async () => {
    const { mine, attempts } = await fourTaken();
    const [, , third] = attempts as [Attempt, Attempt, Attempt, Attempt];
    const [one, other] = third.chunk.messages as [LedgerMessage, LedgerMessage];
    const answer = resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [other], { evidence: null })]);
    expect((await settle(mine, third, answer)).settled).toBe(true);
    const all = ['pending', 'pending', 'split', 'pending', 'pending', 'sent', 'unknown'];
    expect(await states(mine, 'j1')).toEqual(all);
  });

  test('counts for the repeat guard again', async () => {
    const { mine, others, attempts } = await fourTaken();
    const [, , third] = attempts as [Attempt, Attempt, Attempt, Attempt];
    const words = ['h1', 'h2'].map((hash) => ({ hash, repeatGuardMs: 60_000 }));
    await settle(mine, third, SENT, { words });
    for (const { hash } of words)
      expect(await others.sameWords('T1', hash)).toMatchObject({ send: 'j1', state: 'sent' });
  });

  test('counts for the repeat guard, too, if the store knows the attempt and has forgotten only the words', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2, 2], { account: 'a1' }));
    const attempt = await taken(mine, forJobs());
    const words = ['h1', 'h2'].map((hash) => ({ hash, repeatGuardMs: 60_000 }));
    cutOff();
    await mine.claimChunk(attempt.send, { index: 0, token: attempt.token, words });
    await failOver();
    await settle(mine, attempt, SENT, { words });
    for (const { hash } of words)
      expect(await others.sameWords('T1', hash)).toMatchObject({ send: 'j1', state: 'sent' });
  });

  test('stays as it is if it comes from a split, since another part may have its place now', async () => {
    const { mine, others, cutOff, failOver } = startPair();
    await confirmed(mine, aJob('j1', [2, 2], { account: 'a1' }));
    const [one, other] = [await taken(mine, forJobs()), await taken(others, forJobs())];
    cutOff();
    await settle(mine, one, halved(one.chunk.messages, { request: 'never_started' }));
    const part = await taken(mine, forJobs());
    expect(part.ref.index).toBe(2);
    await failOver();
    await settle(others, other, halved(other.chunk.messages, { request: 'never_started' }));
    expect(await settle(mine, part, SENT)).toEqual({ settled: false });
    expect(await states(others, 'j1')).toEqual(['sending', 'split', 'pending', 'pending']);
  });

  test.each([
    ['', false],
    [' in a list that was stopped', true],
  ])(
    'stays as it is if its document is damaged%s: nobody knows what it counts for',
    async (_where, isStopped) => {
      const engine = createMemoryEngine(handClock().now);
      const [mine, others] = [createSteps(engine), createSteps(engine)].map((one) =>
        createLedger(one, LIMITS),
      );
      if (!mine || !others) return expect.unreachable();
      await confirmed(mine, aJob('j1', [2, 2], { account: 'a1' }));
      const attempt = await taken(mine, forJobs());
      await settle(mine, attempt, SENT);
      await damageDocument(engine, { collection: 'chunks', id: chunkIdOf(attempt.ref) });
      if (isStopped) await mine.stop('j1');
      expect(await settle(others, attempt, SENT)).toEqual({ settled: false });
      expect((await others.tally('j1')).states.sent).toEqual({ chunks: 1, messages: 2 });
    },
  );
});

test('a list is sent twice on a person’s word: the charge of its first request counts, once', async () => {
  const { mine, others, cutOff, failOver } = startPair();
  await mine.draft(aJob('j1', [2, 2], { account: 'a1' }));
  cutOff();
  await mine.decide('j1', { to: 'running', by: 'U1' });
  const first = await taken(mine, forJobs());
  await failOver();
  await others.decide('j1', { to: 'running', by: 'U1', evenIfSent: 'r2' });
  await settle(others, await taken(others, forJobs()), sentFor(2));
  for (let times = 0; times < 2; times += 1)
    expect((await settle(mine, first, sentFor(3))).settled).toBe(false);
  expect(await others.tally('j1')).toMatchObject({ creditsUsed: 5, states: { sent: { messages: 2 } } });
});
