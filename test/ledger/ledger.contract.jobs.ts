import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { TakeResult } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { Json } from '../../src/ledger/model/json.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  halved,
  messages,
  neverStarted,
  type OpenLedger,
  REJECTED,
  resolvedPerMessage,
  SENT,
  sentFor,
  startRig,
  states,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

/** Lists too long for one step, and their counts. */
export function jobsContract(open: OpenLedger): void {
  test('a long list is added to its draft piece by piece, and keeps its order', async () => {
    const { ledger, reopen } = await startRig(open);
    const list = Array.from({ length: 25 }, (_, row) => [{ ...(messages(1)[0] as LedgerMessage), row }]);
    await ledger.draft(aJob('j1', []));
    expect(await ledger.chunks('j1')).toEqual([]);
    await ledger.appendChunks('j1', list.slice(0, 10));
    await ledger.appendChunks('j1', list.slice(10, 20));
    await ledger.appendChunks('j1', []);
    await (await reopen()).appendChunks('j1', list.slice(20));
    const chunks = await ledger.chunks('j1');
    expect(chunks.map((chunk) => chunk.messages)).toEqual(list);
    expect(chunks.map(({ index, state, attempt }) => `${index} ${state} ${attempt}`)).toEqual(
      list.map((_, index) => `${index} pending 0`),
    );
  });

  test('only a draft can be added to', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('running', [1]));
    for (const to of ['cancelled', 'superseded'] as const) {
      await ledger.draft(aJob(to, [1]));
      await ledger.decide(to, { to, by: 'U1' });
    }
    await ledger.draft(aJob('expired', [1], { expiresInMs: 10 }));
    clock.advance(10);
    await ledger.recover();
    for (const id of ['running', 'cancelled', 'superseded', 'expired', 'nowhere']) {
      await expect(ledger.appendChunks(id, [messages(1)])).rejects.toThrow();
    }
    expect(await states(ledger, 'running')).toEqual(['pending']);
    expect(await ledger.chunks('nowhere')).toEqual([]);
  });

  test('an empty draft cannot begin: nothing would ever end it', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aJob('j1', []));
    await expect(ledger.decide('j1', { to: 'running', by: 'U1' })).rejects.toThrow();
    expect((await ledger.find('j1'))?.state).toBe('draft');
    await ledger.appendChunks('j1', [messages(1)]);
    expect((await ledger.decide('j1', { to: 'running', by: 'U1' })).won).toBe(true);
    await ledger.draft(aJob('j2', []));
    expect((await ledger.decide('j2', { to: 'cancelled', by: 'U1' })).won).toBe(true);
  });

  test('of a long list a part can be read: from an index on, up to a number, only one state', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 1, 1, 1, 1, 1]));
    await confirmed(ledger, aJob('j2', [1]));
    for (const settlement of [SENT, REJECTED, SENT, REJECTED]) {
      const { ref, token } = await taken(ledger, forJobs());
      if (ref.send === 'j1') await ledger.settle(ref, token, settlement);
      else await ledger.settle(ref, token, neverStarted(60_000));
    }
    const all = await ledger.chunks('j1');
    expect(await ledger.chunks('j1', { from: 2, limit: 3 })).toEqual(all.slice(2, 5));
    expect(await ledger.chunks('j1', { from: 4 })).toEqual(all.slice(4));
    expect(await ledger.chunks('j1', { limit: 1 })).toEqual(all.slice(0, 1));
    expect(await ledger.chunks('j1', { from: 6 })).toEqual([]);
    for (const state of ['sent', 'rejected', 'pending', 'unknown'] as const) {
      const of = all.filter((chunk) => chunk.state === state);
      expect(await ledger.chunks('j1', { state })).toEqual(of);
      expect(await ledger.chunks('j1', { state, from: 1, limit: 1 })).toEqual(
        of.filter(({ index }) => index >= 1).slice(0, 1),
      );
    }
  });

  test('the tally counts chunks and messages by state, other statuses, and credits', async () => {
    const { ledger } = await startRig(open);
    const none = { chunks: 0, messages: 0 };
    const nothing = {
      states: {
        pending: none,
        sending: none,
        sent: none,
        rejected: none,
        not_sent: none,
        unknown: none,
        cancelled: none,
        split: none,
      },
      otherStatuses: {},
      barred: {},
      creditsUsed: 0,
    };
    expect(await ledger.tally('j1')).toEqual(nothing);
    await confirmed(ledger, aJob('other', [9]));
    await ledger.pause('other', 'person');
    await confirmed(ledger, aJob('j1', [10, 20, 30, 40, 50, 60, 4, 70]));
    const inFlight = [];
    for (let i = 0; i < 7; i += 1) inFlight.push(await taken(ledger, forJobs()));
    const [sent, queued, more, rejected, unknown, mixed, split] = inFlight;
    const settle = async (attempt: typeof sent, settlement: typeof SENT) => {
      if (attempt) await ledger.settle(attempt.ref, attempt.token, settlement);
    };
    await settle(sent, sentFor(10));
    await settle(queued, { ...sentFor(20), otherStatus: 'queued' } as typeof SENT);
    await settle(more, { ...sentFor(31), otherStatus: 'queued' } as typeof SENT);
    await settle(rejected, REJECTED);
    await settle(unknown, UNANSWERED);
    const list = mixed?.chunk.messages ?? [];
    await settle(
      mixed,
      resolvedPerMessage(
        [
          aPart('sent', list.slice(0, 30)),
          aPart('sent', list.slice(30, 35), { otherStatus: 'failed' }),
          aPart('unknown', list.slice(35)),
        ],
        35,
      ),
    );
    await settle(split, halved(split?.chunk.messages ?? []));
    await taken(ledger, forJobs());
    expect(await ledger.tally('j1')).toEqual({
      states: {
        ...nothing.states,
        pending: { chunks: 2, messages: 4 },
        sending: { chunks: 1, messages: 70 },
        sent: { chunks: 5, messages: 10 + 20 + 30 + 30 + 5 },
        rejected: { chunks: 1, messages: 40 },
        unknown: { chunks: 2, messages: 50 + 25 },
        split: { chunks: 2, messages: 60 + 4 },
      },
      otherStatuses: { queued: 50, failed: 5 },
      barred: {},
      creditsUsed: 10 + 20 + 31 + 35,
    });
  });

  const withdrawals: [string, (rig: Awaited<ReturnType<typeof startRig>>) => Promise<unknown>][] = [
    ['cancelled', ({ ledger }) => ledger.decide('j1', { to: 'cancelled', by: 'U1' })],
    ['superseded', ({ ledger }) => ledger.decide('j1', { to: 'superseded', by: 'U1' })],
    [
      'expired',
      ({ ledger, clock }) => {
        clock.advance(900_000);
        return ledger.decide('j1', { to: 'running', by: 'U1' });
      },
    ],
    [
      'expired',
      ({ ledger, clock }) => {
        clock.advance(900_000);
        return ledger.recover();
      },
    ],
    ['expired', ({ ledger }) => ledger.expireDrafts('T1', 'C1')],
  ];
  test.each(withdrawals)('a job that never was keeps no recipients: %s', async (state, withdraw) => {
    const rig = await startRig(open);
    const { ledger } = rig;
    const details: Json = { list: { toSend: 203 } };
    await ledger.draft(aJob('j1', [100, 100, 3], { details }));
    await withdraw(rig);
    expect(await ledger.find('j1')).toMatchObject({ state, details });
    expect(await ledger.openSends('i1')).toEqual([]);
    expect(await ledger.chunks('j1')).toEqual([]);
    expect((await ledger.tally('j1')).states.pending).toEqual({ chunks: 0, messages: 0 });
    expect(await (await rig.reopen()).chunks('j1')).toEqual([]);
  });

  test.each(withdrawals)('nor does a single text keep its words: %s', async (state, withdraw) => {
    const rig = await startRig(open);
    await rig.ledger.draft(aSingle('j1'));
    await withdraw(rig);
    expect((await rig.ledger.find('j1'))?.state).toBe(state);
    expect(await rig.ledger.chunks('j1')).toEqual([]);
  });

  test('a job that was stopped keeps all of its list', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2, 2]));
    await ledger.stop('j1');
    expect((await ledger.tally('j1')).states.cancelled).toEqual({ chunks: 2, messages: 4 });
  });

  const keeps: Json = { by: 'U1', toSend: 1 };
  const details: Json = { by: 'U1', toSend: 1, pasted: '+442079460958', reply: 'https://hooks' };

  test.each(['cancelled', 'superseded'] as const)(
    'of a draft that is %s only what it keeps stays',
    async (to) => {
      const { ledger, reopen } = await startRig(open);
      for (const id of ['s1', 's2']) await ledger.draft(aSingle(id, { details, keeps }));
      const decided = await ledger.decide('s1', { to, by: 'U1' });
      expect(decided).toMatchObject({ won: true, send: { state: to } });
      expect(decided.send?.details).toEqual(keeps);
      const next = await reopen();
      expect((await next.find('s1'))?.details).toEqual(keeps);
      expect((await next.find('s2'))?.details).toEqual(details);
    },
  );

  test.each([
    ['by its time', 900_000, ({ ledger }: { ledger: Ledger }) => ledger.recover()],
    ['with its channel', 0, ({ ledger }: { ledger: Ledger }) => ledger.expireDrafts('T1', 'C1')],
  ])('an expired draft has its details for half an hour more: %s', async (_, afterMs, expire) => {
    const rig = await startRig(open);
    const { ledger, clock } = rig;
    await ledger.draft(aSingle('s1', { details, keeps }));
    await ledger.draft(aJob('j1', [2, 2], { details, keeps }));
    clock.advance(afterMs);
    await expire(rig);
    clock.advance(1_799_999);
    await ledger.recover();
    for (const id of ['s1', 'j1']) {
      expect((await ledger.find(id))?.details).toEqual(details);
      expect(await ledger.chunks(id)).toEqual([]);
    }
    clock.advance(1);
    await ledger.recover();
    for (const id of ['s1', 'j1']) {
      expect(await ledger.find(id)).toMatchObject({ state: 'expired', details: keeps });
      expect((await ledger.find(id))?.details).toEqual(keeps);
    }
    expect((await ledger.decide('s1', { to: 'running', by: 'U1' })).won).toBe(false);
  });

  test('a draft that is found long after its expiry is forgotten at once', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await ledger.draft(aSingle('s1', { details, keeps }));
    clock.advance(900_000 + 1_800_000);
    const next = await reopen();
    await next.recover();
    expect((await next.find('s1'))?.details).toEqual(keeps);
  });

  test('a confirmed send keeps its details, but not those that its decision removes', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('s1', { details, keeps }));
    await ledger.decide('s1', { to: 'running', by: 'U1', details: { pasted: undefined } });
    const { pasted: _gone, ...rest } = details;
    clock.advance(100_000_000);
    await ledger.recover();
    expect((await ledger.find('s1'))?.details).toStrictEqual(rest);
  });

  test('a job that goes on announces the texts found unknown, and their evidence, too', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    await confirmed(ledger, aJob('j1', [2, 2], { topics: ['job'] }));
    const { chunk } = (await ledger.take(forJobs())) as Extract<TakeResult, { kind: 'taken' }>;
    expect(await drain(ledger)).toEqual([]);
    clock.advance(chunk.deadline as number);
    await ledger.recover();
    expect(await states(ledger, 'j1')).toEqual(['unknown', 'pending']);
    expect(await drain(ledger)).toEqual(['job:j1']);
    const marker = await ledger.markBalanceRead('a1');
    const evidence = [{ ref: { send: 'j1', index: 0 }, evidence: { verdict: 'none' } }];
    expect(await ledger.recordEvidence(marker, 100, evidence)).toBe(true);
    expect(await drain(ledger)).toEqual(['job:j1']);
  });

  test.each([
    ['by an answer', { ...UNANSWERED, pause: 'list_refused' }],
    ['by the breaker', UNANSWERED],
    ['by a step of its own', undefined],
  ] as const)('a job announces its pause in the commit that pauses it: %s', async (_, settlement) => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2, 2, 2], { topics: ['job'] }));
    for (const attempt of [await taken(ledger, forJobs()), await taken(ledger, forJobs())]) {
      if (!settlement) await ledger.pause('j1', 'away');
      else if ((await ledger.find('j1'))?.state === 'running')
        await ledger.settle(attempt.ref, attempt.token, settlement);
    }
    expect((await ledger.find('j1'))?.state).toBe('paused');
    expect(await drain(ledger)).toEqual(['job:j1']);
  });
}
