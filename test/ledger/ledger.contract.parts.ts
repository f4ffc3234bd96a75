import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { NewSend } from '../../src/ledger/model/decision-types.ts';
import {
  type Attempt,
  aJob,
  aPart,
  confirmed,
  drain,
  forJobs,
  NOT_SENT,
  type OpenLedger,
  resolvedPerMessage,
  SENT,
  startRig,
  states,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const NO_EVIDENCE = { verdict: 'none' };

/** A job of one chunk with six messages, in flight. */
async function six(ledger: Ledger, id = 'j1', over: Partial<NewSend> = {}): Promise<Attempt> {
  await confirmed(ledger, aJob(id, [6], { topics: ['card'], ...over }));
  return taken(ledger, forJobs());
}

/** An answer for 4 credits: three messages sent, one queued, one in doubt, one not named. */
function answerTo({ chunk }: Attempt) {
  const { messages } = chunk;
  return resolvedPerMessage(
    [
      aPart('sent', messages.slice(0, 3), { result: { messageIds: ['a', 'b', 'c'] } }),
      aPart('sent', messages.slice(3, 4), { otherStatus: 'queued' }),
      aPart('unknown', messages.slice(4, 5), { evidence: NO_EVIDENCE }),
      aPart('unknown', messages.slice(5)),
    ],
    4,
    96,
  );
}

const AFTER = ['split', 'sent', 'sent', 'unknown', 'unknown'];

/** Answers that differ for a chunk's messages. */
export function partsContract(open: OpenLedger): void {
  test('each part has its outcome, its words and its messages at once, and the job is over', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const attempt = await six(ledger);
    clock.advance(300);
    expect(await ledger.settle(attempt.ref, attempt.token, answerTo(attempt))).toMatchObject({
      settled: true,
      chunk: { state: 'split', index: 0 },
      send: { state: 'finished', endedAt: clock.now() },
    });
    const { messages } = attempt.chunk;
    const common = {
      send: 'j1',
      parent: 0,
      account: 'a1',
      settledAt: clock.now(),
      attempt: 0,
      refusals: 0,
    };
    expect((await (await reopen()).chunks('j1')).slice(1)).toEqual([
      {
        ...common,
        index: 1,
        state: 'sent',
        messages: messages.slice(0, 3),
        result: { messageIds: ['a', 'b', 'c'] },
      },
      {
        ...common,
        index: 2,
        state: 'sent',
        messages: messages.slice(3, 4),
        result: { of: 'sent' },
        otherStatus: 'queued',
      },
      {
        ...common,
        index: 3,
        state: 'unknown',
        messages: messages.slice(4, 5),
        result: { of: 'unknown' },
        evidence: NO_EVIDENCE,
      },
      { ...common, index: 4, state: 'unknown', messages: messages.slice(5), result: { of: 'unknown' } },
    ]);
    expect(await drain(ledger)).toEqual(['card:j1']);
    expect((await ledger.take(forJobs())).kind).toBe('idle');
  });

  test('the receipt counts once: in the account, in the tally, and in what the place has spent', async () => {
    const { ledger, clock } = await startRig(open);
    const marker = await ledger.markBalanceRead('a1');
    await ledger.recordBalance(marker, 100);
    const attempt = await six(ledger);
    for (const _again of [1, 2]) await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect(await ledger.account('a1')).toMatchObject({
      credits: 96,
      booked: 96,
    });
    expect((await ledger.tally('j1')).creditsUsed).toBe(4);
    expect(await ledger.spentSince('T1', 'C1', clock.now())).toEqual({ credits: 4, messages: 4 });
    expect(await states(ledger, 'j1')).toEqual(AFTER);
  });

  test('unknown parts can be judged at once; those that carry evidence are not waited for', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect((await ledger.pendingWork()).unexplained).toEqual(['a1']);
    const found = await ledger.evidenceCase('a1');
    expect(found?.unknowns.map(({ index }) => index)).toEqual([4]);
    expect(found?.readyAt).toBeLessThanOrEqual(clock.now());
    const marker = await ledger.markBalanceRead('a1');
    expect(marker).toMatchObject({ nothingSending: true, idle: true });
    const evidence = { verdict: 'probably_not_sent' };
    expect(await ledger.recordEvidence(marker, 96, [{ ref: { send: 'j1', index: 4 }, evidence }])).toBe(true);
    expect((await ledger.pendingWork()).unexplained).toEqual([]);
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
    expect((await ledger.chunks('j1')).map((chunk) => chunk.evidence)).toEqual([
      ...[undefined, undefined, undefined],
      NO_EVIDENCE,
      evidence,
    ]);
    expect(await ledger.account('a1')).toMatchObject({ booked: 96, baselineAt: clock.now() });
  });

  test('an account all of whose unknown parts carry evidence is anchored by its next quiet read', async () => {
    const { ledger } = await startRig(open);
    const attempt = await six(ledger);
    const [first, ...rest] = attempt.chunk.messages;
    const parts = [
      aPart('sent', rest),
      aPart('unknown', [first as LedgerMessage], { evidence: NO_EVIDENCE }),
    ];
    await ledger.settle(attempt.ref, attempt.token, resolvedPerMessage(parts, 5, 95));
    expect((await ledger.pendingWork()).unexplained).toEqual([]);
    expect(await ledger.recordBalance(await ledger.markBalanceRead('a1'), 95)).toMatchObject({
      quiet: true,
      account: { booked: 95 },
    });
  });

  test('a person may send unknown parts again at once', async () => {
    const { ledger } = await startRig(open);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    await ledger.draft(aJob('again', [2], { resends: { send: 'j1', indexes: [3, 4] } }));
    expect((await ledger.decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
    expect((await ledger.chunks('j1')).map((chunk) => chunk.resentAs)).toEqual([
      ...[undefined, undefined, undefined],
      'again',
      'again',
    ]);
  });

  test('it is a truth: it replaces unknown, however late, and is announced again', async () => {
    const { ledger, clock } = await startRig(open);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, UNANSWERED);
    expect(await drain(ledger)).toEqual(['card:j1']);
    clock.advance(3_600_000);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 96);
    const before = await ledger.find('j1');
    for (const _again of [1, 2]) {
      expect((await ledger.settle(attempt.ref, attempt.token, answerTo(attempt))).settled).toBe(true);
    }
    expect(await states(ledger, 'j1')).toEqual(AFTER);
    expect(await ledger.find('j1')).toEqual(before);
    expect(await drain(ledger)).toEqual(['card:j1']);
  });

  test('if it is late and a person sent the chunk again, its unknown parts were sent again too', async () => {
    const { ledger, clock } = await startRig(open);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, UNANSWERED);
    clock.advance(30_000);
    await confirmed(ledger, aJob('again', [6], { resends: { send: 'j1', indexes: [0] } }));
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect((await ledger.chunks('j1')).map(({ state, resentAs }) => `${state} ${resentAs}`)).toEqual([
      'split again',
      'sent undefined',
      'sent undefined',
      'unknown again',
      'unknown again',
    ]);
    await ledger.draft(aJob('once more', [2], { resends: { send: 'j1', indexes: [3, 4] } }));
    expect(await ledger.decide('once more', { to: 'running', by: 'U1' })).toMatchObject({
      why: 'resent_already',
    });
  });

  test('its unknown parts stay with their own resend if that of another chunk texts nobody', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [6, 1]));
    const [first, second] = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    for (const { ref, token } of [first, second]) await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    await confirmed(ledger, aJob('again', [6], { resends: { send: 'j1', indexes: [0] } }));
    const again = await taken(ledger, forJobs());
    await ledger.settle(first.ref, first.token, answerTo(first));
    await confirmed(ledger, aJob('other', [1], { resends: { send: 'j1', indexes: [1] } }));
    const other = await taken(ledger, forJobs());
    expect([again.send.id, other.send.id]).toEqual(['again', 'other']);
    await ledger.settle(other.ref, other.token, NOT_SENT);
    expect((await ledger.chunks('j1')).map(({ state, resentAs }) => `${state} ${resentAs}`)).toEqual([
      'split again',
      'unknown undefined',
      'sent undefined',
      'sent undefined',
      'unknown again',
      'unknown again',
    ]);
  });

  test('if it is late and a person sent the chunk again, it says what need not be sent again', async () => {
    const { ledger, clock } = await startRig(open);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, UNANSWERED);
    clock.advance(30_000);
    const resends = { send: 'j1', indexes: [0] };
    await confirmed(ledger, aJob('again', [6], { resends }));
    expect(await ledger.sentAfterAll(resends)).toEqual([]);
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    const sent = (await ledger.chunks('j1')).filter(({ state }) => state === 'sent');
    expect(sent).toHaveLength(2);
    expect(await ledger.sentAfterAll(resends)).toEqual(sent.flatMap(({ messages }) => messages));
  });

  test('taken late after the evidence, its charge is in the new baseline already', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    const attempt = await six(ledger);
    await ledger.settle(attempt.ref, attempt.token, UNANSWERED);
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    await ledger.recordEvidence(marker, 96, [{ ref: attempt.ref, evidence: { charged: 'some' } }]);
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect((await ledger.account('a1'))?.booked).toBe(96);
    expect((await ledger.tally('j1')).creditsUsed).toBe(4);
  });

  test('in a stopped send it counts as it is', async () => {
    const { ledger } = await startRig(open);
    const attempt = await six(ledger);
    await ledger.stop('j1');
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect(await states(ledger, 'j1')).toEqual(AFTER);
    expect((await ledger.find('j1'))?.state).toBe('stopped');
    expect(await drain(ledger)).toEqual(['card:j1']);
  });

  test('for the breaker it is a clean answer', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 6, 1]));
    const [unclear, attempt] = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    await ledger.settle(unclear.ref, unclear.token, UNANSWERED);
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    expect(await ledger.find('j1')).toMatchObject({ state: 'running', inFlightLimit: 2, unknownRun: 0 });
    const last = await taken(ledger, forJobs());
    await ledger.settle(last.ref, last.token, SENT);
    expect((await ledger.find('j1'))?.state).toBe('finished');
  });

  test('only its owner can settle it, and nothing changes it after', async () => {
    const { ledger } = await startRig(open);
    const attempt = await six(ledger);
    expect(await ledger.settle(attempt.ref, 'somebody else', answerTo(attempt))).toEqual({ settled: false });
    await ledger.settle(attempt.ref, attempt.token, answerTo(attempt));
    for (const other of [SENT, UNANSWERED]) {
      expect(await ledger.settle(attempt.ref, attempt.token, other)).toEqual({ settled: false });
    }
    expect(await states(ledger, 'j1')).toEqual(AFTER);
  });
}
