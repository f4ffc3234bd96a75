import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { NewSend, Undo } from '../../src/ledger/model/decision-types.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';
import {
  aJob,
  aSingle,
  drain,
  forJobs,
  forSingles,
  type OpenLedger,
  REJECTED,
  resendOf,
  SENT,
  startRig,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

const WAIT_MS = 10_000;
const UNDO: Undo = { by: 'U1', details: { text: 'Hello' }, keeps: { by: 'U1' } };

/** A send that is decided, and begins after the wait. */
async function waiting(ledger: Ledger, send: NewSend): Promise<SendRecord> {
  await ledger.draft(send);
  const decided = await ledger.decide(send.id, { to: 'running', by: 'U1', startsInMs: WAIT_MS });
  if (!decided.won) throw new Error(`the fixture's send was not decided: ${decided.why}`);
  return decided.send;
}

/** A send that waits before it begins. A person undoes it meanwhile. */
export function undoContract(open: OpenLedger): void {
  test.each([
    ['single text', aSingle('s1'), forSingles],
    ['job', aJob('s1', [2, 2]), forJobs],
  ] as const)('nothing of a %s is taken before it begins', async (_kind, send, request) => {
    const { ledger, clock, reopen } = await startRig(open);
    const { decidedAt = 0, startsAt } = await waiting(ledger, send);
    expect(startsAt).toBe(decidedAt + WAIT_MS);
    clock.advance(WAIT_MS - 1);
    expect(await ledger.take(request())).toEqual({ kind: 'wait', until: startsAt });
    const next = await reopen();
    expect(await next.take(request())).toEqual({ kind: 'wait', until: startsAt });
    expect(await next.instancesWithWork(request().priority)).toEqual([{ team: 'T1', instance: 'i1' }]);
    clock.advance(1);
    expect((await taken(next, request())).ref).toEqual({ send: 's1', index: 0 });
  });

  test('others of the instance do not wait for it', async () => {
    const { ledger } = await startRig(open);
    await waiting(ledger, aSingle('s1'));
    await waiting(ledger, aJob('j1', [1]));
    await ledger.draft(aSingle('s2'));
    await ledger.decide('s2', { to: 'running', by: 'U1' });
    await ledger.draft(aJob('j2', [1]));
    await ledger.decide('j2', { to: 'running', by: 'U1' });
    expect((await taken(ledger, forSingles())).send.id).toBe('s2');
    expect((await taken(ledger, forJobs())).send.id).toBe('j2');
  });

  test('a single text that nobody takes is given up ten seconds after it begins, not after its decision', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aSingle('s1'));
    clock.advance(WAIT_MS + 9999);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['pending']);
    clock.advance(1);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('a job that is paused and resumed while it waits begins no sooner', async () => {
    const { ledger, clock } = await startRig(open);
    const { startsAt } = await waiting(ledger, aJob('j1', [1]));
    await ledger.pause('j1', 'person');
    await ledger.resume('j1');
    expect(await ledger.take(forJobs())).toEqual({ kind: 'wait', until: startsAt });
    clock.advance(WAIT_MS);
    expect((await taken(ledger, forJobs())).send.id).toBe('j1');
  });

  test('a job that is stopped while it waits is stopped', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aJob('j1', [1]));
    expect(await ledger.stop('j1')).toBe(true);
    clock.advance(WAIT_MS);
    expect(await ledger.take(forJobs())).toEqual({ kind: 'idle' });
    expect(await ledger.undo('j1', UNDO)).toMatchObject({ won: false, send: { state: 'stopped' } });
  });

  test.each([
    ['single text', aSingle('s1', { topics: ['receipt'] }), forSingles],
    ['job', aJob('s1', [2, 2], { topics: ['receipt'] }), forJobs],
  ] as const)(
    'a %s that is undone is cancelled, forgets its chunks, and is told',
    async (_kind, send, request) => {
      const { ledger, clock, reopen } = await startRig(open);
      await waiting(ledger, send);
      const undone = { state: 'cancelled', undoneBy: 'U1', decidedBy: 'U1', endedAt: clock.now() };
      expect(await ledger.undo('s1', UNDO)).toMatchObject({ won: true, send: undone });
      expect(await drain(ledger)).toEqual(['receipt:s1']);
      const next = await reopen();
      expect(await next.find('s1')).toMatchObject({ ...undone, details: { by: 'U1', text: 'Hello' } });
      expect(await next.chunks('s1')).toEqual([]);
      clock.advance(WAIT_MS);
      expect(await next.take(request())).toEqual({ kind: 'idle' });
      expect(await next.openSends('i1')).toEqual([]);
      // The history keeps how many messages the send had.
      const messages = send.chunks.flat().length;
      const [entry, ...others] = await next.history({ team: 'T1', by: 'U1', limit: 10 });
      expect(entry).toMatchObject({ send: undone, tally: { barred: { undone: messages }, creditsUsed: 0 } });
      expect(entry?.tally.states.not_sent.messages).toBe(messages);
      expect(others).toEqual([]);
    },
  );

  test('many people undo a send: one does, and the others hear who', async () => {
    const { ledger } = await startRig(open);
    await waiting(ledger, aSingle('s1'));
    const people = Array.from({ length: 20 }, (_, i) => `U${i}`);
    const answers = await Promise.all(people.map((by) => ledger.undo('s1', { ...UNDO, by })));
    const winners = people.filter((_, i) => answers[i]?.won);
    expect(winners).toHaveLength(1);
    for (const { send } of answers) expect(send).toMatchObject({ state: 'cancelled', undoneBy: winners[0] });
  });

  test('a paused job, and a job whose wait is over, can be undone while no chunk of it was taken', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aJob('j1', [1]));
    await waiting(ledger, aJob('j2', [1]));
    await ledger.pause('j1', 'person');
    clock.advance(WAIT_MS);
    const answers = [await ledger.undo('j1', UNDO), await ledger.undo('j2', UNDO)];
    for (const answer of answers) expect(answer).toMatchObject({ won: true, send: { state: 'cancelled' } });
    expect((await ledger.find('j1'))?.pauseReason).toBeUndefined();
  });

  test('the card of a list is due again when its first chunk is taken: nobody can undo the list any more', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aJob('j1', [1, 1], { topics: ['card'] }));
    expect(await drain(ledger)).toEqual([]);
    clock.advance(WAIT_MS);
    await taken(ledger, forJobs());
    expect(await drain(ledger)).toEqual(['card:j1']);
    await taken(ledger, forJobs());
    expect(await drain(ledger)).toEqual([]);
  });

  test('a send that was taken once can’t be undone, though it waits again', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aJob('j1', [1, 1]));
    clock.advance(WAIT_MS);
    const { ref, token } = await taken(ledger, forJobs());
    expect(await ledger.undo('j1', UNDO)).toMatchObject({ won: false, send: { state: 'running' } });
    await ledger.settle(ref, token, { to: 'pending', request: 'never_started', waitMs: 0 });
    expect(await ledger.undo('j1', UNDO)).toMatchObject({ won: false, send: { state: 'running' } });
    expect(await ledger.undo('none', UNDO)).toEqual({ won: false });
  });

  test('a draft can’t be undone, nor a send that has ended', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    expect(await ledger.undo('s1', UNDO)).toMatchObject({ won: false, send: { state: 'draft' } });
    await waiting(ledger, aSingle('s2'));
    clock.advance(WAIT_MS);
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, SENT);
    expect(await ledger.undo('s2', UNDO)).toMatchObject({ won: false, send: { state: 'finished' } });
  });

  test('half an hour later it forgets the details that it does not keep', async () => {
    const { ledger, clock } = await startRig(open);
    await waiting(ledger, aSingle('s1', { details: { by: 'U1', e164: '+4479' } }));
    await ledger.undo('s1', UNDO);
    clock.advance(1_799_999);
    await ledger.recover();
    expect((await ledger.find('s1'))?.details).toEqual({ by: 'U1', e164: '+4479', text: 'Hello' });
    clock.advance(1);
    expect((await ledger.pendingWork()).needsRecovery).toBe(true);
    await ledger.recover();
    expect((await ledger.find('s1'))?.details).toEqual({ by: 'U1' });
    expect((await ledger.pendingWork()).needsRecovery).toBe(false);
  });

  test('gets its form’s values back, which are kept until a chunk is taken, or the send is stopped', async () => {
    const { ledger, clock } = await startRig(open);
    const ifUndone = { list: 'pasted' };
    for (const id of ['j1', 'j2', 'j3']) {
      await ledger.draft(aJob(id, [1]));
      await ledger.decide(id, { to: 'running', by: 'U1', startsInMs: WAIT_MS, ifUndone });
    }
    expect((await ledger.find('j1'))?.details).toEqual({ by: 'U1' });
    await ledger.undo('j1', UNDO);
    expect((await ledger.find('j1'))?.details).toEqual({ by: 'U1', text: 'Hello', list: 'pasted' });
    await ledger.stop('j2');
    clock.advance(WAIT_MS);
    await taken(ledger, forJobs());
    for (const id of ['j1', 'j2', 'j3'])
      expect(JSON.stringify(await ledger.find(id))).not.toContain('ifUndone');
    expect((await ledger.find('j3'))?.details).toEqual({ by: 'U1' });
  });

  test('an unknown text whose resend was undone can be resent again', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    clock.advance(30_000);
    await waiting(ledger, aSingle('s2', { resends: resendOf(ref) }));
    expect(await ledger.chunks('s1')).toMatchObject([{ state: 'unknown', resentAs: 's2' }]);
    await drain(ledger);
    await ledger.undo('s2', UNDO);
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    expect((await ledger.chunks('s1'))[0]?.resentAs).toBeUndefined();
    await waiting(ledger, aSingle('s3', { resends: resendOf(ref) }));
    expect(await ledger.chunks('s1')).toMatchObject([{ state: 'unknown', resentAs: 's3' }]);
  });

  test.each(['undone', 'stopped'])(
    'an unknown text can be resent again if its resend was rejected late, and the resend of that one was %s',
    async (how) => {
      const { ledger, clock } = await startRig(open);
      const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
      clock.advance(30_000);
      const second = await unknownSingle(ledger, 's2', { resends: resendOf(ref) });
      clock.advance(30_000);
      await waiting(ledger, aJob('s3', [1], { resends: resendOf(second.ref) }));
      await ledger.settle(second.ref, second.token, REJECTED);
      expect(await ledger.chunks('s1')).toMatchObject([{ state: 'unknown', resentAs: 's2' }]);
      await drain(ledger);
      if (how === 'undone') await ledger.undo('s3', UNDO);
      else await ledger.stop('s3');
      expect((await ledger.chunks('s1'))[0]).not.toHaveProperty('resentAs');
      expect(await drain(ledger)).toContain('receipt:s1');
    },
  );

  test('an unknown text whose resend was stopped before it began can be resent, and holds its credits again', async () => {
    const { ledger, clock } = await startRig(open);
    const period = { id: 'T1/C1/2026-01', renewsAt: Date.UTC(2026, 1, 1), readers: ['C1'] };
    const budget = { credits: 1, perMessage: 1, periods: [period] };
    await ledger.draft(aJob('s1', [1], { topics: ['receipt'] }));
    await ledger.decide('s1', { to: 'running', by: 'U1', budget });
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    clock.advance(30_000);
    const held = async () => (await ledger.findPeriods([{ id: period.id }]))[0]?.held;
    await ledger.draft(aJob('s2', [1], { resends: resendOf(ref) }));
    await ledger.decide('s2', { to: 'running', by: 'U1', budget, startsInMs: WAIT_MS });
    expect(await held()).toBe(1);
    await ledger.stop('s2');
    expect(await ledger.chunks('s1')).toMatchObject([{ state: 'unknown' }]);
    expect((await ledger.chunks('s1'))[0]).not.toHaveProperty('resentAs');
    expect(await held()).toBe(1);
    // After a take, the send has texts of its own.
    await waiting(ledger, aJob('s3', [1, 1], { resends: resendOf(ref) }));
    clock.advance(WAIT_MS);
    await taken(ledger, forJobs());
    await ledger.stop('s3');
    expect(await ledger.chunks('s1')).toMatchObject([{ state: 'unknown', resentAs: 's3' }]);
  });

  test('an undo and a first take come at once: one wins, 1,000 times', { timeout: 240_000 }, async () => {
    const { ledger, clock } = await startRig(open);
    let undone = 0;
    for (let round = 0; round < 20; round += 1) {
      const ids = Array.from({ length: 50 }, (_, i) => `r${round}-${i}`);
      const isJob = round % 2 === 0;
      for (const id of ids)
        await waiting(ledger, isJob ? aJob(id, [1], { instance: id }) : aSingle(id, { instance: id }));
      clock.advance(WAIT_MS);
      await Promise.all(
        ids.map(async (id, i) => {
          const request = (isJob ? forJobs : forSingles)({ instance: id, rateLimitKey: id, account: id });
          // A take looks at the store several times. The undo begins before, between or after these looks.
          const undoLater = async () => {
            for (let turn = 0; turn < i % 10; turn += 1) await nextTurn();
            return ledger.undo(id, UNDO);
          };
          const [take, undo] = await Promise.all([ledger.take(request), undoLater()]);
          expect([take.kind, undo.won]).toEqual(undo.won ? ['idle', true] : ['taken', false]);
          expect((await ledger.find(id))?.state).toBe(undo.won ? 'cancelled' : 'running');
          if (undo.won) undone += 1;
        }),
      );
    }
    // On each engine, both ends happen.
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(1000);
  });
}
