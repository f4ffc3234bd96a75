import pino from 'pino';
import { describe, expect, test, vi } from 'vitest';
import type { Instance } from '../../../src/core/accounts/instances.ts';
import { createAnswerKeeper } from '../../../src/core/dispatch/answer-keeper.ts';
import type { Attempt } from '../../../src/core/dispatch/attempt.ts';
import type { AttemptDeps } from '../../../src/core/dispatch/attempts.ts';
import { lostRecord } from '../../../src/core/sends/lost-record.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import type { Settlement, TakeRequest } from '../../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../../src/ledger/model/send-record.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { StoreTroubleError } from '../../../src/store/store-error.ts';
import { forgetfulEngine } from '../../helpers/forgetful-engine.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  halved,
  handClock,
  LIMITS,
  neverStarted,
  REJECTED,
  refused,
  resendOf,
  resolvedPerMessage,
  SENT,
  states,
  type Attempt as Taken,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../../helpers/ledger-fixtures.ts';

/** A bot's answers, on a store that can fail over. */
function startKeeper() {
  const clock = handClock();
  const engine = forgetfulEngine(clock.now);
  const steps = createSteps(engine);
  const ledger = createLedger(steps, LIMITS);
  const instance = { keyFingerprint: 'k1', accountId: 'a1' } as Instance;
  /** What happens before the bot writes a refused answer again. */
  const meanwhile = { work: async () => {} };
  const time = { steady: clock.now, sleep: () => meanwhile.work() };
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => lines.push(line) });
  const wordsOf = (_team: string, { phone }: { phone: string }) => ({ hash: phone, repeatGuardMs: 60_000 });
  const deps = { ledger, limits: LIMITS, clock: time, log, wordsOf };
  const keeper = createAnswerKeeper(deps as unknown as AttemptDeps);
  return {
    clock,
    engine,
    ledger,
    meanwhile,
    logged: () =>
      lines.map(
        (line) => JSON.parse(line) as { level: number; msg: string; send?: string; outcome?: string },
      ),
    writeAgain: keeper.writeAgain,
    keep: ({ send, chunk, token }: Taken, settlement: Settlement) =>
      keeper.keep({ instance, send, chunk, token } as Attempt, settlement),
    /** Takes a text, whose answer the bot writes. The store may have forgotten both. */
    async answered(id: string, settlement: Settlement, request?: TakeRequest): Promise<void> {
      const { send, chunk, token } = await taken(ledger, request);
      expect(send.id).toBe(id);
      await keeper.keep({ instance, send, chunk, token } as Attempt, settlement);
    },
    async failOver(): Promise<void> {
      engine.failOver();
      steps.forget();
      await ledger.presumeForgotten({ begunBefore: clock.now(), doubt: 'r2' });
    },
  };
}

test('answers that the store has forgotten are written again', async () => {
  const { engine, ledger, writeAgain, answered, failOver } = startKeeper();
  const answers = { s1: SENT, s2: REJECTED, s3: UNANSWERED };
  for (const id of Object.keys(answers)) await confirmed(ledger, aSingle(id, { account: 'a1' }));
  engine.cutOff();
  for (const [id, answer] of Object.entries(answers)) await answered(id, answer);
  await failOver();
  const became = () => Promise.all(Object.keys(answers).map((id) => states(ledger, id)));
  expect(await became()).toEqual([['sending'], ['sending'], ['sending']]);
  await writeAgain();
  expect(await became()).toEqual([['sent'], ['rejected'], ['unknown']]);
});

test('a failover may take longer than a lease: the answers of the last two minutes are written again', async () => {
  const { clock, engine, ledger, writeAgain, answered, failOver } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  await ledger.draft(aSingle('s2', { account: 'a1' }));
  await confirmed(ledger, aJob('j1', [2, 2], { account: 'a1' }));
  engine.cutOff();
  await answered('s1', SENT);
  await ledger.decide('s2', { to: 'running', by: 'U1' });
  await answered('s2', SENT);
  await answered('j1', SENT, forJobs());
  clock.advance(119_000);
  await failOver();
  await writeAgain();
  for (const id of ['s1', 's2']) expect(await states(ledger, id)).toEqual(['sent']);
  expect(await states(ledger, 'j1')).toEqual(['sent', 'pending']);
});

test('the repeat guard learns the words of a resend, too, if a failover has made the store forget it', async () => {
  const { clock, engine, ledger, writeAgain, answered, failOver } = startKeeper();
  const { ref, chunk } = await unknownSingle(ledger, 's1', { account: 'a1' });
  clock.advance(LIMITS.leaseMs);
  await ledger.draft(aSingle('s2', { account: 'a1', chunks: [chunk.messages], resends: resendOf(ref) }));
  const words = { hash: chunk.messages[0]?.phone ?? '', repeatGuardMs: 60_000 };
  engine.cutOff();
  await ledger.decide('s2', { to: 'running', by: 'U1', words });
  await answered('s2', SENT);
  await failOver();
  await writeAgain();
  expect(await ledger.sameWords('T1', words.hash)).toMatchObject({ send: 's2', state: 'sent' });
});

test('an answer is forgotten after two minutes: by then its text is unknown', async () => {
  const { clock, engine, ledger, writeAgain, answered, failOver } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  engine.cutOff();
  await answered('s1', SENT);
  clock.advance(120_001);
  await confirmed(ledger, aSingle('s3', { account: 'a1' }));
  await answered('s3', SENT);
  await failOver();
  await writeAgain();
  expect(await states(ledger, 's1')).toEqual(['sending']);
});

test('an attempt that never started is not written again: another one may follow', async () => {
  const { engine, ledger, writeAgain, answered, failOver } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  engine.cutOff();
  await answered('s1', neverStarted());
  await failOver();
  await writeAgain();
  expect(await states(ledger, 's1')).toEqual(['sending']);
});

test('an end that the store has written and forgotten, with another attempt, lets nobody take the text again', async () => {
  const { engine, ledger, meanwhile, answered, failOver } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  vi.spyOn(ledger, 'settle').mockImplementationOnce(async (...ended) => {
    engine.cutOff();
    vi.mocked(ledger.settle).mockRestore();
    await ledger.settle(...ended);
    throw new StoreTroubleError('late', 'no answer');
  });
  meanwhile.work = async () => {
    // Another bot takes the text.
    await taken(ledger);
    await failOver();
  };
  await answered('s1', neverStarted());
  expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
  expect(await states(ledger, 's1')).toEqual(['sending']);
});

test('a text that went back to wait, since its key rests already, keeps no end that a failover brings back', async () => {
  const { clock, engine, ledger, writeAgain, answered, failOver } = startKeeper();
  for (const id of ['s1', 's2']) await confirmed(ledger, aSingle(id, { account: 'a1' }));
  vi.spyOn(ledger, 'settle').mockImplementationOnce(async (...ended) => {
    vi.mocked(ledger.settle).mockRestore();
    const other = await taken(ledger);
    await ledger.settle(other.ref, other.token, refused(100));
    engine.cutOff();
    return ledger.settle(...ended);
  });
  await answered('s1', { to: 'not_sent', request: { restMs: 100 }, result: {} });
  expect(await states(ledger, 's1')).toEqual(['pending']);
  clock.advance(101);
  // Another bot takes the text.
  expect((await taken(ledger)).send.id).toBe('s1');
  await failOver();
  await writeAgain();
  expect(await states(ledger, 's1')).toEqual(['sending']);
});

test('while the store refuses an answer, the log says so once, and once that it is over', async () => {
  const { ledger, answered, logged } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  const { settle } = ledger;
  let refusals = 0;
  vi.spyOn(ledger, 'settle').mockImplementation(async (...ended) => {
    refusals += 1;
    if (refusals < 100) throw new StoreTroubleError('late', 'no answer');
    return settle(...ended);
  });
  await answered('s1', SENT);
  expect(logged()).toMatchObject([
    { level: 50, send: 's1', msg: 'the ledger refused an answer; keeping it and trying again' },
    { level: 30, send: 's1', msg: 'the ledger has taken the answer' },
  ]);
});

test('an answer to an attempt that is over is in the log: the text may have gone twice', async () => {
  const { ledger, keep, logged } = startKeeper();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  const attempt = await taken(ledger);
  await keep({ ...attempt, token: 'another' }, SENT);
  expect(logged()).toMatchObject([{ send: 's1', outcome: 'sent' }]);
});

/** A list that waits for its decision on the replica, and whose chunk a bot has taken. */
async function takenList() {
  const keeping = startKeeper();
  const { engine, ledger } = keeping;
  await ledger.draft(aJob('j1', [2, 2], { account: 'a1' }));
  engine.cutOff();
  await ledger.decide('j1', { to: 'running', by: 'U1' });
  return keeping;
}

const stateOf = async (ledger: Ledger, id: string) => (await ledger.find(id))?.state;

test('a list whose decision and request the store has forgotten expires once the answer comes', async () => {
  const { ledger, keep, failOver } = await takenList();
  const attempt = await taken(ledger, forJobs());
  await failOver();
  expect(await stateOf(ledger, 'j1')).toBe('draft');
  await keep(attempt, SENT);
  expect(await ledger.decide('j1', { to: 'running', by: 'U1' })).toMatchObject({ why: 'expired' });
});

test.each([SENT, UNANSWERED, resolvedPerMessage([])])(
  'whoever sent such a list reads of it, and nobody texts the words of its one request unasked: $to',
  async (answer) => {
    const { engine, ledger, keep, failOver } = startKeeper();
    await ledger.draft(aJob('j1', [2], { account: 'a1' }));
    engine.cutOff();
    await ledger.decide('j1', { to: 'running', by: 'U1' });
    const attempt = await taken(ledger, forJobs());
    await failOver();
    await keep(attempt, answer);
    expect(await drain(ledger)).toContain('lost-record:T1/j1');
    for (const { phone } of attempt.chunk.messages)
      expect(await ledger.sameWords('T1', phone)).toMatchObject({ by: 'U1', state: 'unknown' });
  },
);

test('a list expires, too, if the store has forgotten the answer with its decision', async () => {
  const { ledger, answered, writeAgain, failOver } = await takenList();
  await answered('j1', SENT, forJobs());
  await failOver();
  expect(await stateOf(ledger, 'j1')).toBe('draft');
  await writeAgain();
  expect(await stateOf(ledger, 'j1')).toBe('expired');
});

test('answers to a list that the store has forgotten are written again, and nobody texts these words unasked', async () => {
  const { engine, ledger, answered, writeAgain, failOver } = startKeeper();
  await confirmed(ledger, aJob('j1', [2, 2, 2, 2], { account: 'a1' }));
  engine.cutOff();
  for (const answer of [SENT, REJECTED, UNANSWERED]) await answered('j1', answer, forJobs());
  await failOver();
  expect(await states(ledger, 'j1')).toEqual(['pending', 'pending', 'pending', 'pending']);
  for (let times = 0; times < 2; times += 1) {
    await writeAgain();
    expect(await states(ledger, 'j1')).toEqual(['sent', 'rejected', 'unknown', 'pending']);
  }
  expect((await ledger.find('j1'))?.details).not.toHaveProperty('restored');
  const [sent] = await ledger.chunks('j1');
  for (const { phone } of sent?.messages ?? [])
    expect(await ledger.sameWords('T1', phone)).toMatchObject({ send: 'j1', state: 'sent' });
});

test('a list pauses at the next comparison if another bot has made a forgotten request again', async () => {
  const { engine, ledger, keep, logged, failOver } = startKeeper();
  await confirmed(ledger, aJob('j1', [2, 2], { account: 'a1' }));
  engine.cutOff();
  const attempt = await taken(ledger, forJobs());
  await failOver();
  // The balance did not show the request.
  const again = await taken(ledger, forJobs());
  expect(again.chunk).toMatchObject({ index: 0, attempt: attempt.chunk.attempt });
  await keep(again, SENT);
  expect((await ledger.find('j1'))?.details).not.toHaveProperty('restored');
  await keep(attempt, SENT);
  expect((await ledger.find('j1'))?.details).toMatchObject({ restored: true });
  expect(logged()).toContainEqual(
    expect.objectContaining({ send: 'j1', outcome: 'sent', msg: expect.stringMatching(/no longer open/) }),
  );
});

test('an answer to an older attempt of a list is only in the log: the list goes on', async () => {
  const { ledger, keep, logged } = startKeeper();
  await confirmed(ledger, aJob('j1', [2, 2], { account: 'a1' }));
  const first = await taken(ledger, forJobs());
  await keep(first, neverStarted(0));
  const again = await taken(ledger, forJobs());
  expect(again.chunk).toMatchObject({ index: 0, attempt: first.chunk.attempt + 1 });
  await keep(again, SENT);
  await keep(first, SENT);
  expect((await ledger.find('j1'))?.details).not.toHaveProperty('restored');
  expect(logged()).toMatchObject([
    { send: 'j1', outcome: 'sent', msg: expect.stringMatching(/no longer open/) },
  ]);
});

describe('a list’s request that became unknown', () => {
  /** The state of the chunk after this late answer. */
  async function after(answer: (messages: LedgerMessage[]) => Settlement) {
    const { clock, ledger, keep } = startKeeper();
    await confirmed(ledger, aJob('j1', [2], { account: 'a1' }));
    const attempt = await taken(ledger, forJobs());
    clock.advance(LIMITS.leaseMs + 1);
    await ledger.recover();
    expect(await states(ledger, 'j1')).toEqual(['unknown']);
    await keep(attempt, answer(attempt.chunk.messages));
    return states(ledger, 'j1');
  }

  test('is not sent if a late answer proves that the service did not process it, and never waits again', async () => {
    expect(await after(() => neverStarted(0))).toEqual(['not_sent']);
    expect(await after(() => refused(0))).toEqual(['not_sent']);
  });

  test('is never split into smaller ones to send', async () => {
    const halves = (request: 'never_started' | 'answered', otherwise: Settlement) =>
      after((list) => halved(list, { request, otherwise }));
    expect(await halves('never_started', neverStarted(0))).toEqual(['not_sent']);
    expect(await halves('answered', REJECTED)).toEqual(['rejected']);
  });
});

/** A list whose chunk was split. The store has forgotten that, and a part with its answer. */
async function forgottenPart() {
  const keeping = startKeeper();
  const { engine, ledger, keep, failOver } = keeping;
  await confirmed(ledger, aJob('j1', [4], { account: 'a1' }));
  engine.cutOff();
  const whole = await taken(ledger, forJobs());
  await keep(whole, halved(whole.chunk.messages, { request: 'never_started' }));
  const part = await taken(ledger, forJobs());
  await keep(part, SENT);
  await failOver();
  return { ...keeping, part };
}

test('a list pauses at the next comparison if the store has forgotten the split of a chunk', async () => {
  const { ledger, writeAgain } = await forgottenPart();
  await writeAgain();
  expect((await ledger.find('j1'))?.details).toMatchObject({ restored: true });
});

test('if somebody resumes it, texts of such a part that may have gone out are left out', async () => {
  const { clock, ledger, writeAgain, part } = await forgottenPart();
  await writeAgain();
  clock.advance(LIMITS.leaseMs + 1);
  await ledger.pause('j1', 'restored');
  await ledger.recover();
  await ledger.resume('j1', { restored: undefined }, { doubt: 'r2' });
  const { send, ref, token, chunk } = await taken(ledger, forJobs());
  const words = chunk.messages.map(({ phone }) => ({ hash: phone, repeatGuardMs: 60_000 }));
  expect(await ledger.claimChunk(send, { index: ref.index, token, words })).toEqual([0, 1]);
  expect(chunk.messages.slice(0, 2)).toEqual(part.chunk.messages);
});

test('a list that somebody resumed after such a pause goes on, also if the bot connects again', async () => {
  const { clock, ledger, writeAgain } = await forgottenPart();
  await writeAgain();
  // Nobody can resume it sooner: the balance is compared after a lease.
  clock.advance(LIMITS.leaseMs + 1);
  await ledger.pause('j1', 'restored');
  await ledger.resume('j1', { restored: undefined }, { doubt: 'r2' });
  await writeAgain();
  expect((await ledger.find('j1'))?.details).not.toHaveProperty('restored');
});

test('a list that the store knows stays as it is after a failover', async () => {
  const { ledger, answered, writeAgain, failOver } = startKeeper();
  await confirmed(ledger, aJob('j1', [2, 2], { account: 'a1' }));
  await answered('j1', SENT, forJobs());
  const before = await ledger.find('j1');
  await failOver();
  await writeAgain();
  expect(await ledger.find('j1')).toEqual({ ...before, mayLackRequests: 'r2' });
});

test('who sent a text or a list reads what its answer says, if the store has forgotten even its draft', async () => {
  const { engine, ledger, keep, answered, failOver, logged, writeAgain } = startKeeper();
  engine.cutOff();
  await confirmed(ledger, aSingle('s1', { account: 'a1' }));
  const phone = (await ledger.chunks('s1'))[0]?.messages[0]?.phone;
  await confirmed(ledger, aJob('j1', [2, 2], { account: 'a1' }));
  await answered('s1', SENT);
  const list = await taken(ledger, forJobs());
  await failOver();
  await writeAgain();
  await keep(list, REJECTED);
  // Whoever writes the same words again reads that they may have gone out.
  expect(await ledger.sameWords('T1', String(phone))).toMatchObject({ by: 'U1', state: 'unknown' });
  expect(logged()).toContainEqual(expect.objectContaining({ level: 50, send: 's1', outcome: 'sent' }));
  const told: unknown[] = [];
  for (let row = await ledger.takeDue('t1', 1000); row; row = await ledger.takeDue('t1', 1000)) {
    told.push(row.details);
    await ledger.markPosted(row.id, 't1', null);
  }
  const from = { team: 'T1', channel: 'C1', by: 'U1' };
  expect(told).toHaveLength(2);
  for (const became of ['sent', 'unknown_list']) expect(told).toContainEqual({ ...from, became });
});

test.each(['cancelled', 'superseded'] as const)(
  'who sent a text reads that it was sent, if its draft was %s, since the store had forgotten the press of Send',
  async (to) => {
    const { engine, ledger, keep, failOver } = startKeeper();
    await ledger.draft(aSingle('s1', { account: 'a1' }));
    engine.cutOff();
    await ledger.decide('s1', { to: 'running', by: 'U1' });
    const attempt = await taken(ledger);
    await failOver();
    await ledger.decide('s1', { to, by: 'U1' });
    await keep(attempt, neverStarted());
    expect(await drain(ledger)).toEqual([]);
    await keep(attempt, SENT);
    expect(await drain(ledger)).toEqual(['lost-record:T1/s1']);
  },
);

test.each([
  ['sent', SENT, 'sent'],
  ['taken under a status of the service’s own', { ...SENT, otherStatus: 'queued' }, 'unknown'],
  ['rejected', REJECTED, 'not_sent'],
  ['unanswered', UNANSWERED, 'unknown'],
  // Another bot may have sent it after this attempt: the store has forgotten that, too.
  ['never sent by this bot', neverStarted(), 'unknown'],
] as const)('what the sender of a lost text reads: it was %s', (_what, settlement, became) => {
  const send = { id: 's1', team: 'T1', channelId: 'C1', kind: 'single', decidedBy: 'U1' } as SendRecord;
  const gone = { isGone: true };
  expect(lostRecord(send, settlement, gone).details).toEqual({ team: 'T1', channel: 'C1', by: 'U1', became });
  const estimate = { credits: 1, basis: 'documented' };
  const of = {
    by: 'U1',
    accountId: 'a1',
    estimate,
    reply: { url: 'u' },
    e164: '+442079460958',
    receiptLine: false,
  };
  const withDetails = { ...send, details: of };
  const named = { team: 'T1', channel: 'C1', by: 'U1', became, to: '···0958' };
  expect(lostRecord(withDetails, settlement, gone).details).toEqual({ ...named, reply: { url: 'u' } });
  // A draft that ended otherwise has said so in its place.
  expect(lostRecord(withDetails, settlement, { isGone: false }).details).toEqual(named);
  expect(lostRecord({ ...send, kind: 'job' }, settlement, gone).details.became).toBe('unknown_list');
});
