import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  type HandClock,
  inFlight,
  messages,
  NOT_SENT,
  type OpenLedger,
  resendOf,
  SENT,
  sentFor,
  startRig,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

export function sendsContract(open: OpenLedger): void {
  test('a draft keeps what was shown, and its chunks are there before anybody decides', async () => {
    const { ledger, clock } = await startRig(open);
    const send = aJob('s1', [100, 3], { topics: ['card'], details: { text: 'Ünïcode 👍 "q"\n' } });
    await ledger.draft(send);
    const stored = await ledger.find('s1');
    expect(stored).toMatchObject({
      id: 's1',
      team: 'T1',
      channelId: 'C1',
      instance: 'i1',
      kind: 'job',
      state: 'draft',
      details: send.details,
      topics: ['card'],
      createdAt: clock.now(),
      expiresAt: clock.now() + 900_000,
    });
    expect(stored?.decidedAt).toBeUndefined();
    const chunks = await ledger.chunks('s1');
    expect(chunks.map((chunk) => chunk.messages)).toEqual(send.chunks);
    expect(chunks.map(({ state, attempt }) => ({ state, attempt }))).toEqual([
      { state: 'pending', attempt: 0 },
      { state: 'pending', attempt: 0 },
    ]);
    expect((await ledger.tally('s1')).states.pending).toEqual({ chunks: 2, messages: 103 });
  });

  test('details are opaque: any JSON comes back as it was', async () => {
    const { ledger } = await startRig(open);
    for (const [index, details] of [null, 'a word', 7, [1, [2]], { a: { b: [null, false] } }].entries()) {
      await confirmed(ledger, aSingle(`s${index}`, { details }));
      expect((await ledger.find(`s${index}`))?.details).toEqual(details);
    }
  });

  test('the same id twice is refused and changes nothing', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('s1', { channelId: 'C1' }));
    await expect(ledger.draft(aJob('s1', [2, 2], { channelId: 'C2' }))).rejects.toThrow();
    expect((await ledger.find('s1'))?.channelId).toBe('C1');
    expect(await ledger.chunks('s1')).toHaveLength(1);
  });

  test('a missing send is not found', async () => {
    const { ledger } = await startRig(open);
    expect(await ledger.find('nope')).toBeUndefined();
    expect(await ledger.chunks('nope')).toEqual([]);
    expect(await ledger.decide('nope', { to: 'running', by: 'U1' })).toEqual({ won: false, why: 'missing' });
    expect(await ledger.settle({ send: 'nope', index: 0 }, 't', SENT)).toEqual({ settled: false });
    expect(await ledger.pause('nope', 'person')).toBe(false);
  });

  test('one of 1000 racing decisions wins, and everybody else learns whose it was', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('s1', { details: { text: 'x' } }));
    const to = ['running', 'cancelled', 'superseded'] as const;
    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        ledger.decide('s1', { to: to[i % 3] ?? 'running', by: `U${i}`, details: { click: i } }),
      ),
    );
    const winners = answers.flatMap((answer, i) => (answer.won ? [i] : []));
    expect(winners).toHaveLength(1);
    const winner = winners[0] as number;
    const stands = await ledger.find('s1');
    expect(stands).toMatchObject({
      state: to[winner % 3],
      decidedBy: `U${winner}`,
      details: { text: 'x', click: winner },
    });
    for (const answer of answers) {
      if (!answer.won) expect(answer).toEqual({ won: false, why: 'decided', send: stands });
    }
  });

  test('expiry is part of the decision, by the store’s clock, to the millisecond', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('in time', { expiresInMs: 1000 }));
    await ledger.draft(aSingle('too late', { expiresInMs: 1000 }));
    clock.advance(999);
    expect((await ledger.decide('in time', { to: 'running', by: 'U1' })).won).toBe(true);
    clock.advance(1);
    const late = await ledger.decide('too late', { to: 'running', by: 'U1' });
    expect(late).toMatchObject({ won: false, why: 'expired', send: { state: 'expired' } });
    expect(await ledger.find('too late')).toMatchObject({ state: 'expired', endedAt: clock.now() });
    expect(await ledger.decide('too late', { to: 'cancelled', by: 'U1' })).toMatchObject({ why: 'expired' });
    expect((await taken(ledger)).send.id).toBe('in time');
    expect((await ledger.take(forSingles())).kind).toBe('idle');
  });

  test.each(['cancelled', 'superseded'] as const)('a draft that was %s is never taken', async (to) => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    expect(await ledger.decide('s1', { to, by: 'U2' })).toMatchObject({
      won: true,
      send: { state: to, decidedBy: 'U2', decidedAt: clock.now(), endedAt: clock.now() },
    });
    expect(await ledger.decide('s1', { to: 'running', by: 'U1' })).toMatchObject({
      won: false,
      why: 'decided',
      send: { state: to },
    });
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await ledger.instancesWithWork('interactive')).toEqual([]);
  });

  test('an undecided draft is never taken', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    expect(await ledger.take(forSingles())).toEqual({ kind: 'idle' });
    expect(await states(ledger, 's1')).toEqual(['pending']);
  });

  test('pause and resume turn a running send off and on, each once', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aJob('s1', [1]));
    expect(await ledger.pause('s1', 'person')).toBe(false);
    await ledger.decide('s1', { to: 'running', by: 'U1' });
    expect(await ledger.resume('s1')).toEqual({ won: false });
    expect(await ledger.pause('s1', 'person')).toBe(true);
    expect(await ledger.pause('s1', 'again')).toBe(false);
    expect(await ledger.find('s1')).toMatchObject({ state: 'paused', pauseReason: 'person' });
    expect(await ledger.instancesWithWork('background')).toEqual([]);
    expect(await ledger.resume('s1')).toEqual({ won: true });
    expect((await ledger.find('s1'))?.pauseReason).toBeUndefined();
    expect(await ledger.instancesWithWork('background')).toEqual([{ team: 'T1', instance: 'i1' }]);
    expect(await ledger.instancesWithWork('interactive')).toEqual([]);
  });

  test('a resume does nothing if somebody has resumed the job since its person saw it', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1]));
    const seen = async () => (await ledger.find('s1'))?.servedAt ?? 0;
    await ledger.pause('s1', 'person');
    const seenServedAt = await seen();
    clock.advance(1000);
    expect(await ledger.resume('s1', {}, { seenServedAt })).toEqual({ won: true });
    await ledger.pause('s1', 'again');
    expect(await ledger.resume('s1', {}, { seenServedAt })).toEqual({ won: false });
    expect(await ledger.resume('s1', {}, { seenServedAt: await seen() })).toEqual({ won: true });
  });

  test('the drafts of a channel expire, but for those that the payer of now pays', async () => {
    const { ledger } = await startRig(open);
    const payers = { kept: {}, other: { instance: 'i2' }, moved: { account: 'a2' } };
    for (const [id, payer] of Object.entries(payers))
      await ledger.draft(aSingle(id, { account: 'a1', ...payer }));
    const butPaidBy = { instance: 'i1', account: 'a1' };
    expect(await ledger.expireDrafts('T1', 'C1', { why: 'other_payer', butPaidBy })).toBe(2);
    expect((await ledger.find('kept'))?.state).toBe('draft');
    for (const id of ['other', 'moved']) {
      expect(await ledger.find(id)).toMatchObject({ state: 'expired', expiredFor: 'other_payer' });
    }
  });

  test('a resume and an amendment merge details, and only into a running or paused send', async () => {
    const { ledger, reopen } = await startRig(open);
    await ledger.draft(aJob('s1', [1], { details: { a: 1, b: 2 } }));
    expect(await ledger.mergeDetails('s1', { c: 3 })).toBe(false);
    await ledger.decide('s1', { to: 'running', by: 'U1' });
    expect(await ledger.mergeDetails('s1', { c: 3 })).toBe(true);
    await ledger.pause('s1', 'person');
    expect(await ledger.mergeDetails('s1', { d: 4 })).toBe(true);
    expect(await ledger.find('s1')).toMatchObject({ state: 'paused', pauseReason: 'person' });
    expect(await ledger.resume('s1', { a: undefined, b: 5 })).toEqual({ won: true });
    expect((await (await reopen()).find('s1'))?.details).toEqual({ b: 5, c: 3, d: 4 });
  });

  test('stop cancels waiting chunks, lets requests in flight settle, and is final', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('s1', [2, 3, 4], { topics: ['card'] }));
    const first = await taken(ledger, forSingles({ priority: 'background' }));
    expect(await ledger.stop('s1')).toBe(true);
    expect(await ledger.stop('s1')).toBe(false);
    expect(await ledger.resume('s1')).toEqual({ won: false });
    expect(await states(ledger, 's1')).toEqual(['sending', 'cancelled', 'cancelled']);
    expect(await drain(ledger)).toEqual([]);
    await ledger.settle(first.ref, first.token, SENT);
    expect((await ledger.tally('s1')).states).toMatchObject({
      sent: { chunks: 1, messages: 2 },
      cancelled: { chunks: 2, messages: 7 },
    });
    expect((await ledger.find('s1'))?.state).toBe('stopped');
    expect(await drain(ledger)).toEqual(['card:s1']);
  });

  test('a paused send can be stopped, and ends at once if nothing is in flight', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('s1', [1], { topics: ['card'] }));
    await ledger.pause('s1', 'person');
    expect(await ledger.stop('s1')).toBe(true);
    expect(await ledger.find('s1')).toMatchObject({ state: 'stopped', endedAt: clock.now() });
    expect(await drain(ledger)).toEqual(['card:s1']);
  });

  test('an unknown chunk is resent at most once, however many drafts and clicks try', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 'first');
    clock.advance(30_000);
    const tries = Array.from({ length: 20 }, (_, i) => `again${i}`);
    for (const id of tries) await ledger.draft(aSingle(id, { resends: resendOf(ref) }));
    const answers = await Promise.all(tries.map((id) => ledger.decide(id, { to: 'running', by: 'U1' })));
    const winner = tries.filter((_, i) => answers[i]?.won);
    expect(winner).toHaveLength(1);
    for (const answer of answers) {
      if (!answer.won) expect(answer).toMatchObject({ why: 'resent_already', send: { state: 'draft' } });
    }
    expect((await ledger.chunks('first'))[0]).toMatchObject({ state: 'unknown', resentAs: winner[0] });
    expect((await ledger.find(winner[0] as string))?.resends).toEqual(resendOf(ref));
  });

  test('a resend is refused before the attempt’s deadline', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 'first');
    await ledger.draft(aSingle('again', { resends: resendOf(ref) }));
    clock.advance(29_999);
    expect(await ledger.decide('again', { to: 'running', by: 'U1' })).toMatchObject({
      won: false,
      why: 'too_early',
    });
    expect((await ledger.chunks('first'))[0]?.resentAs).toBeUndefined();
    clock.advance(1);
    expect((await ledger.decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a chunk that is not unknown, or no longer, cannot be resent', async () => {
    const { ledger, clock } = await startRig(open);
    const first = await unknownSingle(ledger, 'first');
    const clean = await inFlight(ledger, 'clean');
    await ledger.draft(aSingle('again', { resends: resendOf(first.ref) }));
    await ledger.draft(aSingle('in flight', { resends: resendOf(clean.ref) }));
    await ledger.draft(aSingle('nowhere', { resends: { send: 'first', indexes: [9] } }));
    clock.advance(30_000);
    await ledger.settle(first.ref, first.token, sentFor());
    for (const id of ['again', 'in flight', 'nowhere']) {
      expect(await ledger.decide(id, { to: 'running', by: 'U1' })).toMatchObject({
        won: false,
        why: 'not_unknown',
      });
    }
  });

  describe('a resend of several unknown chunks', () => {
    /** A paused job of five chunks: sent, unknown now, unknown 400 ms later, unknown 800 ms later, pending. */
    async function doubtfulJob(ledger: Ledger, clock: HandClock) {
      await confirmed(ledger, aJob('first', [1, 2, 3, 4, 5], { topics: ['card'] }));
      for (const settlement of [SENT, UNANSWERED, UNANSWERED, UNANSWERED]) {
        const { ref, token } = await taken(ledger, forJobs());
        await ledger.settle(ref, token, settlement);
        await ledger.resume('first');
        clock.advance(400);
      }
      await ledger.pause('first', 'person');
    }
    const resentAs = async (ledger: Ledger) => (await ledger.chunks('first')).map((chunk) => chunk.resentAs);
    const nobody = [undefined, undefined, undefined, undefined, undefined];

    test('claims all of them in the decision', async () => {
      const { ledger, clock, reopen } = await startRig(open);
      await doubtfulJob(ledger, clock);
      clock.advance(30_000);
      const resends = { send: 'first', indexes: [3, 1] };
      await ledger.draft(aJob('again', [4, 2], { resends }));
      expect(await resentAs(ledger)).toEqual(nobody);
      expect((await ledger.decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
      const next = await reopen();
      expect(await resentAs(next)).toEqual([undefined, 'again', undefined, 'again', undefined]);
      expect((await next.find('again'))?.resends).toEqual(resends);
    });

    test.each([
      ['not_unknown', [1, 0]],
      ['not_unknown', [1, 4]],
      ['not_unknown', [1, 9]],
      ['resent_already', [1, 2]],
    ] as const)('or none of them: %s for %j', async (why, indexes) => {
      const { ledger, clock } = await startRig(open);
      await doubtfulJob(ledger, clock);
      clock.advance(30_000);
      await confirmed(ledger, aJob('other', [3], { resends: { send: 'first', indexes: [2] } }));
      await ledger.draft(aJob('again', [2], { resends: { send: 'first', indexes: [...indexes] } }));
      expect(await ledger.decide('again', { to: 'running', by: 'U1' })).toMatchObject({
        won: false,
        why,
        send: { state: 'draft' },
      });
      expect(await resentAs(ledger)).toEqual([undefined, undefined, 'other', undefined, undefined]);
    });

    test('waits for the last deadline, and first gives the reasons that no wait mends', async () => {
      const { ledger, clock } = await startRig(open);
      await doubtfulJob(ledger, clock);
      const deadlines = (await ledger.chunks('first', { state: 'unknown' })).map(({ deadline }) => deadline);
      const drafts: [string, number[]][] = [
        ['all', [1, 2, 3]],
        ['early', [1]],
        ['gone and early', [0, 3]],
      ];
      for (const [id, indexes] of drafts) {
        await ledger.draft(aJob(id, [9], { resends: { send: 'first', indexes } }));
      }
      clock.set(deadlines[0] as number);
      const why = async (id: string) => {
        const decided = await ledger.decide(id, { to: 'running', by: 'U1' });
        return decided.won ? 'won' : decided.why;
      };
      expect(await why('all')).toBe('too_early');
      expect(await why('gone and early')).toBe('not_unknown');
      expect(await resentAs(ledger)).toEqual(nobody);
      expect(await why('early')).toBe('won');
      expect(await why('all')).toBe('resent_already');
      clock.set(deadlines[2] as number);
      await ledger.draft(aJob('rest', [9], { resends: { send: 'first', indexes: [2, 3] } }));
      expect(await why('rest')).toBe('won');
    });

    test('that is stopped under way gives back the chunks that it never reached, and none that it reached in part', async () => {
      const { ledger, clock, reopen } = await startRig(open);
      await confirmed(ledger, aJob('first', [2, 3, 1, 2], { topics: ['card'] }));
      for (const settlement of [UNANSWERED, UNANSWERED, SENT, UNANSWERED]) {
        const { ref, token } = await taken(ledger, forJobs());
        await ledger.settle(ref, token, settlement);
        await ledger.resume('first');
      }
      clock.advance(30_000);
      await drain(ledger);
      const unknown = await ledger.chunks('first', { state: 'unknown' });
      const all = unknown.flatMap(({ messages }) => messages);
      const resends = { send: 'first', indexes: [0, 1, 3] };
      await confirmed(ledger, aJob('again', [], { chunks: [all.slice(0, 3), all.slice(3)], resends }));
      const { ref, token } = await taken(ledger, forJobs());
      expect(await drain(ledger)).toEqual(['card:first']);
      await ledger.stop('again');
      expect(await drain(ledger)).toEqual([]);
      await ledger.settle(ref, token, SENT);
      expect(await drain(ledger)).toEqual(['card:first']);
      const next = await reopen();
      const found = await next.chunks('first');
      expect(found.map((chunk) => [chunk.state, chunk.resentAs, chunk.messages.length])).toEqual([
        ['unknown', 'again', 2],
        ['unknown', 'again', 3],
        ['sent', undefined, 1],
        ['unknown', undefined, 2],
      ]);
      const why = async (id: string, indexes: number[]) => {
        await next.draft(aJob(id, [2], { resends: { send: 'first', indexes } }));
        const decided = await next.decide(id, { to: 'running', by: 'U1' });
        return decided.won ? 'won' : decided.why;
      };
      expect(await why('all', [1, 3])).toBe('resent_already');
      expect(await why('the rest', [3])).toBe('won');
      expect(await why('once more', [3])).toBe('resent_already');
      // No late answer says that the repeated text was sent, so nothing holds the resend back.
      expect(await next.sentAfterAll({ send: 'first', indexes: [3] })).toEqual([]);
    });

    describe('that is stopped gives back no part of a chunk. If its answer still comes, that is', () => {
      /** An unknown chunk of five messages, and one of two. The stopped resend sent the first two again. */
      async function reachedInPart() {
        const { ledger, clock } = await startRig(open);
        await confirmed(ledger, aJob('first', [5, 2]));
        const late = await taken(ledger, forJobs());
        await taken(ledger, forJobs());
        clock.advance(30_000);
        await ledger.recover();
        const all = (await ledger.chunks('first')).flatMap(({ messages: found }) => found);
        const resends = { send: 'first', indexes: [0, 1] };
        await confirmed(ledger, aJob('again', [], { chunks: [all.slice(0, 2), all.slice(2)], resends }));
        const { ref, token } = await taken(ledger, forJobs());
        await ledger.stop('again');
        await ledger.settle(ref, token, SENT);
        expect(await resentAs(ledger)).toEqual(['again', undefined]);
        await ledger.draft(aJob('rest', [5], { resends: { send: 'first', indexes: [0] } }));
        expect(await ledger.decide('rest', { to: 'running', by: 'U1' })).toMatchObject({
          why: 'resent_already',
        });
        return { ledger, late, all: all.slice(0, 5) };
      }
      const statesOf = async (ledger: Ledger) => (await ledger.chunks('first')).map(({ state }) => state);

      test('sent', async () => {
        const { ledger, late, all } = await reachedInPart();
        for (const _twice of [1, 2]) {
          expect(await ledger.settle(late.ref, late.token, sentFor(5, 90))).toMatchObject({ settled: true });
          expect(await statesOf(ledger)).toEqual(['sent', 'unknown']);
        }
        expect(await ledger.tally('first')).toMatchObject({ creditsUsed: 5 });
        expect(await ledger.sentAfterAll({ send: 'first', indexes: [0] })).toEqual(all);
      });

      test('an outcome for each message', async () => {
        const { ledger, late, all } = await reachedInPart();
        const [one, ...others] = all;
        const parts = [
          { state: 'sent' as const, messages: others, result: null },
          { state: 'unknown' as const, messages: [one as LedgerMessage], result: null },
        ];
        const receipt = { creditsUsed: 4, creditsRemaining: 96 };
        const answer = { to: 'resolved_per_message', request: 'answered', receipt, parts } as const;
        expect(await ledger.settle(late.ref, late.token, answer)).toMatchObject({ settled: true });
        expect(await statesOf(ledger)).toEqual(['split', 'unknown', 'sent', 'unknown']);
        expect(await ledger.tally('first')).toMatchObject({ creditsUsed: 4 });
      });

      test('that none of it was sent', async () => {
        const { ledger, late } = await reachedInPart();
        expect(await ledger.settle(late.ref, late.token, NOT_SENT)).toMatchObject({ settled: true });
        expect(await statesOf(ledger)).toEqual(['not_sent', 'unknown']);
      });
    });

    test('is announced once if people had read of the pause or the end before', async () => {
      const { ledger, clock } = await startRig(open);
      await doubtfulJob(ledger, clock);
      clock.advance(30_000);
      await confirmed(ledger, aJob('early', [2], { resends: { send: 'first', indexes: [1] } }));
      expect(await drain(ledger)).toEqual(['card:first']);
      await ledger.stop('first');
      expect(await drain(ledger)).toEqual(['card:first']);
      await confirmed(ledger, aJob('again', [7], { resends: { send: 'first', indexes: [2, 3] } }));
      expect(await drain(ledger)).toEqual(['card:first']);
    });
  });

  test('cancelling the draft of a resend claims nothing', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 'first');
    clock.advance(30_000);
    await ledger.draft(aSingle('again', { resends: resendOf(ref) }));
    await ledger.decide('again', { to: 'cancelled', by: 'U1' });
    await ledger.draft(aSingle('later', { resends: resendOf(ref) }));
    expect((await ledger.decide('later', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a draft that expires early can’t be sent; a decided send does not expire', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('one'));
    await ledger.draft(aSingle('other'));
    await confirmed(ledger, aSingle('running'));
    expect(await ledger.expireDraft('one')).toBe(true);
    expect(await ledger.expireDraft('one')).toBe(false);
    expect(await ledger.expireDraft('running')).toBe(false);
    expect(await ledger.expireDraft('missing')).toBe(false);
    expect(await ledger.decide('one', { to: 'running', by: 'U1' })).toMatchObject({ why: 'expired' });
    expect((await ledger.decide('other', { to: 'running', by: 'U1' })).won).toBe(true);
    expect((await ledger.find('running'))?.state).toBe('running');
  });

  test('unlinking expires the drafts of that channel alone', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('here1'));
    await ledger.draft(aSingle('here2'));
    await ledger.draft(aSingle('other channel', { channelId: 'C2' }));
    await ledger.draft(aSingle('other team', { team: 'T2' }));
    await confirmed(ledger, aSingle('running'));
    expect(await ledger.expireDrafts('T1', 'C1', { why: 'unlinked' })).toBe(2);
    expect(await ledger.expireDrafts('T1', 'C1')).toBe(0);
    expect(await ledger.find('here1')).toMatchObject({ state: 'expired', expiredFor: 'unlinked' });
    expect(await ledger.decide('here1', { to: 'running', by: 'U1' })).toMatchObject({ why: 'expired' });
    expect((await ledger.decide('other channel', { to: 'running', by: 'U1' })).won).toBe(true);
    expect((await ledger.decide('other team', { to: 'running', by: 'U1' })).won).toBe(true);
    expect((await ledger.find('running'))?.state).toBe('running');
  });

  test('the open sends of an instance are running, paused, or have a request in flight', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aSingle('draft'));
    await confirmed(ledger, aJob('paused', [1]));
    await ledger.pause('paused', 'person');
    await confirmed(ledger, aSingle('elsewhere', { instance: 'i2' }));
    const done = await inFlight(ledger, 'done');
    await ledger.settle(done.ref, done.token, SENT);
    await unknownSingle(ledger, 'unknown');
    const stopped = await inFlight(ledger, 'stopped');
    await ledger.stop('stopped');
    await confirmed(ledger, aSingle('running'));
    const open1 = async () => (await ledger.openSends('i1')).map((send) => send.id).sort();
    expect(await open1()).toEqual(['paused', 'running', 'stopped']);
    await ledger.settle(stopped.ref, stopped.token, SENT);
    expect(await open1()).toEqual(['paused', 'running']);
  });

  test('a key is there for the first time once, until its time is over', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const answers = await Promise.all(Array.from({ length: 100 }, () => ledger.firstTime('event', 1000)));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await ledger.firstTime('another', 1000)).toBe(true);
    clock.advance(999);
    const next = await reopen();
    expect(await next.firstTime('event', 1000)).toBe(false);
    clock.advance(1);
    expect(await next.firstTime('event', 1000)).toBe(true);
  });

  test('a key that was used is there for a process, too, whose clock is a little behind', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    expect(await ledger.firstTime('event', 1000)).toBe(true);
    const other = await reopen();
    clock.advance(-500);
    expect(await other.firstTime('event', 1000)).toBe(false);
  });

  test('of equal requests one makes the draft, and a key that was used for another request makes none', async () => {
    const { ledger } = await startRig(open);
    const once = { key: 'command', ttlMs: 1000 };
    const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
    const drafts = await Promise.all(ids.map((id) => ledger.draft(aSingle(id, { once }))));
    expect(drafts.filter(Boolean)).toHaveLength(1);
    const found = await Promise.all(ids.map((id) => ledger.find(id)));
    expect(found.filter(Boolean)).toEqual(drafts.flatMap((draft) => draft?.send ?? []));
    expect(await ledger.firstTime('command', 1000)).toBe(false);
    await ledger.firstTime('another', 1000);
    expect(await ledger.draft(aSingle('other', { once: { key: 'another', ttlMs: 1000 } }))).toBeUndefined();
    expect(await ledger.find('other')).toBeUndefined();
  });

  test('a request that decides has been seen; a request that was seen decides nothing', async () => {
    const { ledger, clock } = await startRig(open);
    const click = (key: string) => ({ to: 'running', by: 'U1', once: { key, ttlMs: 1000 } }) as const;
    for (const id of ['s1', 's2', 'late']) await ledger.draft(aSingle(id, { expiresInMs: 10_000 }));
    expect(await ledger.decide('s1', click('c1'))).toMatchObject({ won: true });
    expect(await ledger.firstTime('c1', 1000)).toBe(false);
    // The same click comes again, then at another draft.
    expect(await ledger.decide('s1', click('c1'))).toMatchObject({ won: false, why: 'decided' });
    expect(await ledger.decide('s2', click('c1'))).toMatchObject({ won: false, why: 'repeated' });
    expect((await ledger.find('s2'))?.state).toBe('draft');
    // A click that decides nothing does not count as seen: the handler that answers it marks it.
    await ledger.decide('s1', click('c2'));
    expect(await ledger.firstTime('c2', 1000)).toBe(true);
    clock.advance(10_000);
    await ledger.decide('late', click('c3'));
    expect(await ledger.firstTime('c3', 1000)).toBe(true);
  });

  test('a request whose resend is refused has not been seen: its person reads why', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 'first');
    clock.advance(30_000);
    await ledger.draft(aSingle('again', { resends: resendOf(ref) }));
    await ledger.saySent(resendOf(ref), 'U2');
    const click = { to: 'running', by: 'U1', once: { key: 'click', ttlMs: 1000 } } as const;
    expect(await ledger.decide('again', click)).toMatchObject({ won: false, why: 'said_sent' });
    expect(await ledger.firstTime('click', 1000)).toBe(true);
  });

  test('a chunk of 100 messages comes back in order', async () => {
    const { ledger } = await startRig(open);
    const list = messages(100);
    await confirmed(ledger, aJob('s1', [], { chunks: [list] }));
    expect((await taken(ledger, forSingles({ priority: 'background' }))).chunk.messages).toEqual(list);
  });
}
