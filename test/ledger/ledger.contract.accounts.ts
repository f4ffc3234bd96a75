import { describe, expect, test } from 'vitest';
import type { BalanceMarker } from '../../src/ledger/accounts/account-types.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import {
  aJob,
  confirmed,
  drain,
  forJobs,
  inFlight,
  type OpenLedger,
  REJECTED,
  SENT,
  sentFor,
  startRig,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

/** Reads a balance, and does `meanwhile` before it records the figure. */
async function read(ledger: Ledger, credits: number, meanwhile?: () => Promise<unknown>) {
  const marker = await ledger.markBalanceRead('a1');
  await meanwhile?.();
  return ledger.recordBalance(marker, credits);
}

export function accountsContract(open: OpenLedger): void {
  test('an account has no figure before its first', async () => {
    const { ledger } = await startRig(open);
    expect(await ledger.account('a1')).toBeUndefined();
    await inFlight(ledger, 's1');
    expect(await ledger.account('a1')).toBeUndefined();
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
  });

  test('a quiet balance read gives figure and baseline, and they outlive a restart', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const anchored = {
      id: 'a1',
      credits: 120,
      asOf: clock.now(),
      activity: 0,
      booked: 120,
      baselineAt: clock.now(),
    };
    expect(await read(ledger, 120)).toEqual({ isSettled: true, quiet: true, account: anchored });
    clock.advance(5000);
    expect(await (await reopen()).account('a1')).toEqual(anchored);
  });

  test('is told together with a named state, where there is one of them or the other', async () => {
    const { ledger } = await startRig(open);
    expect(await ledger.accountWithState('a1', 'low')).toEqual({});
    await read(ledger, 120);
    await ledger.changeState('low', { from: undefined, to: 'on', details: 1 });
    expect(await ledger.accountWithState('a1', 'low')).toEqual({
      account: await ledger.account('a1'),
      state: await ledger.namedState('low'),
    });
    expect(await ledger.accountWithState('a2', 'high')).toEqual({});
  });

  test('funds are the known credits, and what the account has had in flight since before an attempt', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [3, 4, 5]));
    const first = await taken(ledger, forJobs());
    expect(await ledger.funds('a1', first.ref)).toEqual({ inFlight: 0 });
    await read(ledger, 120);
    clock.advance(10);
    const second = await taken(ledger, forJobs());
    clock.advance(10);
    const third = await taken(ledger, forJobs());
    expect(await ledger.funds('a1', first.ref)).toEqual({ inFlight: 0, credits: 120 });
    expect(await ledger.funds('a1', second.ref)).toEqual({ inFlight: 3, credits: 120 });
    expect(await ledger.funds('a1', third.ref)).toEqual({ inFlight: 7, credits: 120 });
    expect(await ledger.funds('other', third.ref)).toEqual({ inFlight: 0 });
    await ledger.settle(first.ref, first.token, sentFor(3, 117));
    expect(await ledger.funds('a1', third.ref)).toEqual({ inFlight: 4, credits: 117 });
  });

  test('of two attempts of one moment, only one counts as in flight before the other', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 4);
    await confirmed(ledger, aJob('j1', [4, 4]));
    const [first, second] = [await taken(ledger, forJobs()), await taken(ledger, forJobs())];
    expect(second.chunk.deadline).toBe(first.chunk.deadline);
    expect(await ledger.funds('a1', first.ref)).toEqual({ inFlight: 0, credits: 4 });
    expect(await ledger.funds('a1', second.ref)).toEqual({ inFlight: 4, credits: 4 });
  });

  test('a receipt lowers the figure at once and carries the baseline forward', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 120);
    const at = clock.now();
    for (const [id, used, left] of [
      ['s1', 1, 119],
      ['s2', 3, 116],
    ] as const) {
      const { ref, token } = await inFlight(ledger, id);
      clock.advance(100);
      await ledger.settle(ref, token, sentFor(used, left));
    }
    expect(await ledger.account('a1')).toEqual({
      id: 'a1',
      credits: 116,
      asOf: clock.now(),
      activity: 4,
      booked: 116,
      baselineAt: at,
    });
  });

  test('receipts that arrive out of order never raise the figure', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 120);
    const [a, b] = [await inFlight(ledger, 's1'), await inFlight(ledger, 's2')];
    await ledger.settle(b.ref, b.token, sentFor(1, 118));
    await ledger.settle(a.ref, a.token, sentFor(1, 119));
    expect((await ledger.account('a1'))?.credits).toBe(118);
    expect((await ledger.account('a1'))?.booked).toBe(118);
  });

  test('a receipt alone gives a figure, and no baseline', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, sentFor(1, 50));
    expect(await ledger.account('a1')).toEqual({ id: 'a1', credits: 50, asOf: clock.now(), activity: 2 });
  });

  test('each account has its own books', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 120);
    const other = await ledger.markBalanceRead('a2');
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, SENT);
    expect(await ledger.recordBalance(other, 7)).toMatchObject({ quiet: true, account: { credits: 7 } });
    expect((await ledger.account('a1'))?.credits).toBe(99);
  });

  describe('a read while the account was at work only lowers the figure, and sets no baseline', () => {
    const busy: [string, (ledger: Ledger) => Promise<BalanceMarker>][] = [
      [
        'something was in flight at its start',
        async (ledger) => {
          const { ref, token } = await inFlight(ledger, 's1');
          const marker = await ledger.markBalanceRead('a1');
          await ledger.settle(ref, token, sentFor(0, 200));
          return marker;
        },
      ],
      [
        'something was in flight at its end',
        async (ledger) => {
          const marker = await ledger.markBalanceRead('a1');
          await inFlight(ledger, 's1');
          return marker;
        },
      ],
      [
        'something came and went in between',
        async (ledger) => {
          const marker = await ledger.markBalanceRead('a1');
          const { ref, token } = await inFlight(ledger, 's1');
          await ledger.settle(ref, token, sentFor(0, 200));
          return marker;
        },
      ],
      [
        'something was in flight from start to end',
        async (ledger) => {
          await inFlight(ledger, 's1');
          return ledger.markBalanceRead('a1');
        },
      ],
    ];
    test.each(busy)('%s', async (_name, work) => {
      const { ledger, clock } = await startRig(open);
      await read(ledger, 100);
      const at = clock.now();
      clock.advance(1000);
      const marker = await work(ledger);
      expect(await ledger.recordBalance(marker, 500)).toMatchObject({
        quiet: false,
        account: { credits: 100, booked: 100, baselineAt: at },
      });
      expect((await ledger.recordBalance(marker, 40)).account).toMatchObject({
        credits: 40,
        booked: 100,
        baselineAt: at,
      });
    });
  });

  test('only a read that began after all known charges had settled raises the figure', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await inFlight(ledger, 's1');
    await ledger.settle(ref, token, sentFor(1, 99));
    clock.advance(1000);
    expect(await read(ledger, 600)).toMatchObject({
      quiet: true,
      account: {
        credits: 600,
        asOf: clock.now(),
        booked: 600,
        baselineAt: clock.now(),
      },
    });
  });

  test('an unknown keeps the account from being quiet until its deadline, and the baseline until its evidence', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const at = clock.now();
    await unknownSingle(ledger, 's1');
    clock.advance(29_999);
    expect(await read(ledger, 99)).toMatchObject({
      quiet: false,
      account: { booked: 100, baselineAt: at },
    });
    clock.advance(1);
    expect(await read(ledger, 99)).toMatchObject({
      quiet: true,
      account: { credits: 99, booked: 100, baselineAt: at },
    });
  });

  test('the evidence case holds the baseline, the unknowns, and from when on they can be judged', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    await unknownSingle(ledger, 's1');
    clock.advance(400);
    await unknownSingle(ledger, 's2');
    expect((await ledger.pendingWork()).unexplained).toEqual(['a1']);
    expect(await ledger.evidenceCase('a1')).toMatchObject({
      account: { booked: 100 },
      unknowns: [{ send: 's1' }, { send: 's2' }],
      readyAt: clock.now() + 30_000,
    });
  });

  test('evidence is kept with its unknown chunks, announced once, and the account gets a new baseline', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    await drain(ledger);
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    expect(await ledger.recordEvidence(marker, 99, [{ ref, evidence: { charged: 'all' } }])).toBe(true);
    expect((await ledger.chunks('s1'))[0]).toMatchObject({ state: 'unknown', evidence: { charged: 'all' } });
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
    expect((await ledger.pendingWork()).unexplained).toEqual([]);
    expect(await ledger.account('a1')).toMatchObject({ booked: 99, baselineAt: clock.now() });
    expect((await ledger.unknowns()).map(({ chunk }) => chunk.send)).toEqual(['s1']);
  });

  test('evidence for a job that has not ended is kept, and announced at once and with its end', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    await confirmed(ledger, aJob('j1', [1, 1], { topics: ['card'] }));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    await ledger.pause('j1', 'person');
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    expect(await ledger.recordEvidence(marker, 100, [{ ref, evidence: { charged: 'none' } }])).toBe(true);
    expect(await drain(ledger)).toEqual(['card:j1']);
    await ledger.stop('j1');
    expect(await drain(ledger)).toEqual(['card:j1']);
  });

  describe('evidence is refused, and nothing written,', () => {
    const moved: [string, (ledger: Ledger, first: { send: string; index: number }) => Promise<unknown>][] = [
      ['when something left meanwhile', (ledger) => inFlight(ledger, 's2')],
      [
        'when something left and came back meanwhile',
        async (ledger) => {
          const { ref, token } = await inFlight(ledger, 's2');
          await ledger.settle(ref, token, SENT);
        },
      ],
      [
        'when a late answer came meanwhile',
        async (ledger, ref) => {
          const [chunk] = await ledger.chunks(ref.send);
          await ledger.settle(ref, chunk?.token as string, SENT);
        },
      ],
    ];
    test.each(moved)('%s', async (_name, meanwhile) => {
      const { ledger, clock } = await startRig(open);
      await read(ledger, 100);
      const readAt = clock.now();
      const { ref } = await unknownSingle(ledger, 's1');
      clock.advance(30_000);
      const marker = await ledger.markBalanceRead('a1');
      await meanwhile(ledger, ref);
      expect(await ledger.recordEvidence(marker, 99, [{ ref, evidence: 'wrong' }])).toBe(false);
      expect((await ledger.chunks('s1'))[0]?.evidence).toBeUndefined();
      expect((await ledger.account('a1'))?.baselineAt).toBe(readAt);
    });

    test('while a deadline has not passed', async () => {
      const { ledger, clock } = await startRig(open);
      await read(ledger, 100);
      const { ref } = await unknownSingle(ledger, 's1');
      clock.advance(29_999);
      const marker = await ledger.markBalanceRead('a1');
      clock.advance(1);
      expect(await ledger.recordEvidence(marker, 99, [{ ref, evidence: 'wrong' }])).toBe(false);
    });
  });

  test('two bots look for evidence at once: the first one counts, since the other’s figures may be older', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    clock.advance(30_000);
    const [one, other] = [await ledger.markBalanceRead('a1'), await ledger.markBalanceRead('a1')];
    expect(await ledger.recordEvidence(one, 99, [{ ref, evidence: 'charged', charge: 1 }])).toBe(true);
    await drain(ledger);
    clock.advance(1);
    expect(await ledger.recordEvidence(other, 100, [{ ref, evidence: 'not charged', charge: 0 }])).toBe(
      false,
    );
    expect((await ledger.chunks('s1'))[0]?.evidence).toBe('charged');
    expect((await ledger.account('a1'))?.booked).toBe(99);
    expect(await drain(ledger)).toEqual([]);
  });

  test('evidence is written at unknown chunks of that account alone', async () => {
    const { ledger, clock } = await startRig(open);
    const clean = await inFlight(ledger, 'clean');
    await ledger.settle(clean.ref, clean.token, SENT);
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a2');
    const { ref } = await unknownSingle(ledger, 's1');
    await ledger.recordEvidence(marker, 99, [
      { ref, evidence: 'foreign' },
      { ref: clean.ref, evidence: 'wrong' },
    ]);
    expect((await ledger.chunks('s1'))[0]?.evidence).toBeUndefined();
    expect((await ledger.chunks('clean'))[0]?.evidence).toBeUndefined();
  });

  test('a late receipt before the evidence counts as a receipt', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await unknownSingle(ledger, 's1');
    await ledger.settle(ref, token, sentFor(1, 99));
    expect(await ledger.account('a1')).toMatchObject({
      credits: 99,
      booked: 99,
    });
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
  });

  test('a late receipt after the evidence is in the new baseline already and does not count twice', async () => {
    const { ledger, clock } = await startRig(open);
    await read(ledger, 100);
    const { ref, token } = await unknownSingle(ledger, 's1');
    clock.advance(30_000);
    const marker = await ledger.markBalanceRead('a1');
    await ledger.recordEvidence(marker, 99, [{ ref, evidence: { charged: 'all' } }]);
    await ledger.settle(ref, token, sentFor(1, 99));
    expect((await ledger.account('a1'))?.booked).toBe(99);
  });

  test('an unknown of a job is part of its account’s case too', async () => {
    const { ledger } = await startRig(open);
    await read(ledger, 100);
    await confirmed(ledger, aJob('j1', [5]));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    expect((await ledger.evidenceCase('a1'))?.unknowns).toMatchObject([{ send: 'j1', index: 0 }]);
  });

  test('what a place spent since that day is the sum of its receipts, late ones too, and of no other place’s', async () => {
    const { ledger, clock } = await startRig(open);
    const early = await inFlight(ledger, 'early');
    await ledger.settle(early.ref, early.token, sentFor(5, 95));
    clock.advance(24 * 3_600_000);
    const since = clock.now();
    expect(await ledger.spentSince('T1', 'C1', since)).toEqual({ credits: 0, messages: 0 });
    await confirmed(ledger, aJob('job', [3]));
    const job = await taken(ledger, forJobs());
    await ledger.settle(job.ref, job.token, sentFor(6, 89));
    const late = await unknownSingle(ledger, 'late');
    await ledger.settle(late.ref, late.token, sentFor(2, 87));
    await unknownSingle(ledger, 'unknown');
    for (const [id, over] of [
      ['other channel', { channelId: 'C2' }],
      ['other team', { team: 'T2' }],
    ] as const) {
      const { ref, token } = await inFlight(ledger, id, over);
      await ledger.settle(ref, token, sentFor(40, 40));
    }
    await confirmed(ledger, aJob('not sent', [1, 2]));
    const rejected = await taken(ledger, forJobs());
    await ledger.settle(rejected.ref, rejected.token, REJECTED);
    await taken(ledger, forJobs());
    expect(await ledger.spentSince('T1', 'C1', since)).toEqual({ credits: 8, messages: 4 });
    expect(await ledger.spentSince('T1', 'C1', 0)).toEqual({ credits: 13, messages: 5 });
  });
}
