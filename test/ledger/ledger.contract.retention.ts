import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Remains } from '../../src/ledger/retention/forget-ended.ts';
import {
  aJob,
  aSingle,
  confirmed,
  drain,
  forJobs,
  freshToken,
  inFlight,
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
import { hashOf, listAll } from './ledger.contract.numbers.ts';

const DAY_MS = 86_400_000;

const remains: Remains = {
  details: () => ({ stays: true }),
  result: () => ({ stays: true }),
  evidence: { verdict: 'none' },
};

/** Forgets everything that has ended by now, in one workspace. */
async function forgetAll(ledger: Ledger, endedBefore = ledger.now(), team = 'T1'): Promise<number> {
  await listAll(ledger);
  let done = 0;
  for (;;) {
    const more = await ledger.forgetEnded({ team, endedBefore, remains });
    if (more === 0) return done;
    done += more;
  }
}

async function sentSingle(ledger: Ledger, id: string, over: Parameters<typeof inFlight>[2] = {}) {
  const { ref, token } = await inFlight(ledger, id, over);
  await ledger.settle(ref, token, SENT);
}

/** Retention: old sends lose words and numbers, and nothing else does. */
export function retentionContract(open: OpenLedger): void {
  test('a text loses its words, its number and the service’s answer; its outcome and credits stay', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await sentSingle(ledger, 's1', { topics: ['receipt'], details: { e164: '+44' } });
    await drain(ledger);
    const before = await ledger.tally('s1');
    const [chunk] = await ledger.chunks('s1');
    clock.advance(DAY_MS);
    expect(await forgetAll(ledger)).toBe(1);
    const next = await reopen();
    expect(await next.find('s1')).toMatchObject({
      state: 'finished',
      details: { stays: true },
      topics: [],
      decidedBy: 'U1',
      channelId: 'C1',
      decidedAt: chunk?.settledAt,
      endedAt: chunk?.settledAt,
    });
    expect(await next.chunks('s1')).toEqual([
      {
        send: 's1',
        index: 0,
        state: 'sent',
        messages: [],
        attempt: 1,
        refusals: 0,
        account: 'a1',
        result: { stays: true },
        settledAt: chunk?.settledAt,
        forgotten: true,
      },
    ]);
    expect(await next.tally('s1')).toEqual(before);
    expect(await next.lookUp('T1', hashOf('T1', chunk?.messages[0]?.phone ?? ''), 0)).toHaveLength(1);
    expect(await next.nextKept()).toBeUndefined();
  });

  test('younger texts stay as they are, to the millisecond', async () => {
    const { ledger, clock } = await startRig(open);
    await sentSingle(ledger, 'old');
    const endedAt = clock.now();
    clock.advance(1);
    await sentSingle(ledger, 'young');
    const young = await ledger.findWithFirstChunk('young');
    await forgetAll(ledger, endedAt);
    expect((await ledger.chunks('old'))[0]?.messages).toEqual([]);
    expect(await ledger.findWithFirstChunk('young')).toEqual(young);
    expect(await ledger.nextKept()).toEqual({ team: 'T1', endedAt: endedAt + 1 });
  });

  test('what is open stays, however old it is', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('draft', { expiresInMs: 100 * DAY_MS }));
    await confirmed(ledger, aJob('running', [2, 2]));
    await confirmed(ledger, aJob('paused', [2], { instance: 'i2' }));
    await ledger.pause('paused', 'person');
    await confirmed(ledger, aJob('stopped', [2, 2], { instance: 'i3' }));
    await taken(ledger, forJobs({ instance: 'i3' }));
    await ledger.stop('stopped');
    const ids = ['draft', 'running', 'paused', 'stopped'];
    const before = await Promise.all(ids.map((id) => ledger.chunks(id)));
    clock.advance(50 * DAY_MS);
    expect(await forgetAll(ledger)).toBe(0);
    expect(await Promise.all(ids.map((id) => ledger.chunks(id)))).toEqual(before);
  });

  test('each workspace is found with its oldest text, one after another', async () => {
    const { ledger, clock } = await startRig(open);
    const at = clock.now();
    for (const team of ['T1', 'T2', 'T10']) {
      await sentSingle(ledger, team, { team });
      clock.advance(1000);
      await sentSingle(ledger, `${team}-later`, { team });
    }
    const found: unknown[] = [];
    for (let next = await ledger.nextKept(); next; next = await ledger.nextKept(next.team)) found.push(next);
    expect(found).toEqual([
      { team: 'T1', endedAt: at },
      { team: 'T10', endedAt: at + 2000 },
      { team: 'T2', endedAt: at + 1000 },
    ]);
    await forgetAll(ledger, ledger.now(), 'T2');
    expect((await ledger.chunks('T2-later'))[0]?.messages).toEqual([]);
    expect((await ledger.chunks('T1'))[0]?.messages).toHaveLength(1);
  });

  test('a draft that nobody sent is deleted, with its messages to Slack', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('expired', { topics: ['receipt'] }));
    await ledger.draft(aSingle('cancelled'));
    await ledger.decide('cancelled', { to: 'cancelled', by: 'U1' });
    clock.advance(900_000);
    await ledger.recover();
    clock.advance(DAY_MS);
    // Nobody has read of its end yet, and the message needs the kept words.
    await forgetAll(ledger);
    expect(await ledger.find('expired')).toBeDefined();
    expect(await ledger.find('cancelled')).toBeUndefined();
    expect(await drain(ledger)).toEqual(['receipt:expired']);
    await forgetAll(ledger);
    expect(await ledger.find('expired')).toBeUndefined();
  });

  test('a long job is forgotten in steps, also if it was stopped, and keeps its counts', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await confirmed(
      ledger,
      aJob(
        'j1',
        Array.from({ length: 250 }, () => 2),
        { topics: ['job'] },
      ),
    );
    for (let i = 0; i < 3; i += 1) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, [SENT, REJECTED, UNANSWERED][i] ?? SENT);
    }
    await ledger.stop('j1');
    await drain(ledger);
    const [before, tally] = [await states(ledger, 'j1'), await ledger.tally('j1')];
    clock.advance(DAY_MS);
    await listAll(ledger);
    const request = { team: 'T1', endedBefore: clock.now(), remains };
    expect(await ledger.forgetEnded(request)).toBe(1);
    const next = await reopen();
    expect(await states(next, 'j1')).toEqual(before);
    await forgetAll(next);
    expect(await states(next, 'j1')).toEqual(before);
    expect(await next.tally('j1')).toEqual(tally);
    const kept = (await next.chunks('j1')).filter(({ messages }) => messages.length > 0);
    expect(kept).toMatchObject([{ index: 2, state: 'unknown' }]);
  });

  test('texts that are not in the look-up yet are not forgotten', async () => {
    const { ledger, clock } = await startRig(open);
    await sentSingle(ledger, 's1');
    clock.advance(DAY_MS);
    expect(await ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains })).toBe(0);
    expect((await ledger.chunks('s1'))[0]?.messages).toHaveLength(1);
  });

  describe('an unknown text', () => {
    test.each([
      ['saySent', 'saidSentBy'],
      ['leaveUnknown', 'leftBy'],
    ] as const)('stays until a person has decided, then it goes: %s', async (decide, by) => {
      const { ledger, clock } = await startRig(open);
      const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
      const other = await unknownSingle(ledger, 's2');
      await drain(ledger);
      clock.advance(DAY_MS);
      const before = await ledger.findWithFirstChunk('s1');
      await forgetAll(ledger);
      expect(await ledger.findWithFirstChunk('s1')).toEqual(before);
      expect(await ledger.nextKept()).toBeUndefined();
      await ledger[decide](resendOf(ref), 'U2');
      await drain(ledger);
      expect(await ledger.nextKept()).toMatchObject({ team: 'T1' });
      await forgetAll(ledger);
      expect((await ledger.chunks('s1'))[0]).toMatchObject({
        messages: [],
        [by]: 'U2',
        forgotten: true,
      });
      expect((await ledger.chunks('s2'))[0]?.messages).toHaveLength(1);

      await confirmed(ledger, aSingle('again', { resends: resendOf(other.ref) }));
      await forgetAll(ledger);
      expect((await ledger.chunks('s2'))[0]).toMatchObject({ messages: [], resentAs: 'again' });
    });

    test('is forgotten after a year without a decision: nobody can decide then, and no bot seeks evidence', async () => {
      const { ledger, clock } = await startRig(open);
      await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
      const { ref, token } = await unknownSingle(ledger, 's1');
      clock.advance(DAY_MS);
      await forgetAll(ledger);
      expect(await ledger.forgetUndecided(clock.now() - DAY_MS - 1, remains)).toBe(0);
      expect(await ledger.forgetUndecided(clock.now(), remains)).toBe(1);
      expect(await ledger.forgetUndecided(clock.now(), remains)).toBe(0);
      expect((await ledger.chunks('s1'))[0]).toMatchObject({ state: 'unknown', messages: [] });
      expect(await ledger.unknowns()).toEqual([]);
      expect(await ledger.evidenceCase('a1')).toBeUndefined();
      expect(await ledger.saySent(resendOf(ref), 'U2')).toEqual({ won: false, why: 'forgotten' });
      expect(await ledger.settle(ref, token, SENT)).toEqual({ settled: false });
    });

    test('of a job stays alone: a person can still have it sent again', async () => {
      const { ledger, clock } = await startRig(open);
      await confirmed(ledger, aJob('j1', [2, 2, 2]));
      for (const settlement of [SENT, UNANSWERED, SENT]) {
        const { ref, token } = await taken(ledger, forJobs());
        await ledger.settle(ref, token, settlement);
      }
      clock.advance(DAY_MS);
      await forgetAll(ledger);
      expect((await ledger.chunks('j1')).map(({ messages }) => messages.length)).toEqual([0, 2, 0]);
      expect(await ledger.find('j1')).toMatchObject({ details: { stays: true } });
      await confirmed(ledger, aJob('again', [2], { resends: { send: 'j1', indexes: [1] } }));
      await forgetAll(ledger);
      expect((await ledger.chunks('j1')).map(({ messages }) => messages.length)).toEqual([0, 0, 0]);
      expect((await ledger.chunks('again')).map(({ messages }) => messages.length)).toEqual([2]);
    });
  });

  test.each(['forgotten', 'erased'])(
    'what was sent after all, and is %s now, is nothing that a waiting resend may send',
    async (how) => {
      const { ledger, clock } = await startRig(open);
      const list = aJob('j1', [2]);
      await confirmed(ledger, list);
      const first = await taken(ledger, forJobs());
      clock.advance(31_000);
      await ledger.recover();
      const resends = { send: 'j1', indexes: [0] };
      await confirmed(ledger, aJob('again', [2], { resends }));
      await ledger.pause('again', 'person');
      await ledger.settle(first.ref, first.token, SENT);
      await drain(ledger);
      expect(await ledger.sentAfterAll(resends)).toHaveLength(2);
      if (how === 'erased') {
        await listAll(ledger);
        const phone = list.chunks[0]?.[0]?.phone ?? '';
        expect(await ledger.erase(phone, { remains, hashOf: () => 'unclaimed' })).toMatchObject({
          erased: 1,
        });
      } else {
        clock.advance(DAY_MS);
        expect(await forgetAll(ledger)).toBe(1);
      }
      expect(await ledger.sentAfterAll(resends)).toBe('forgotten');
    },
  );

  test('nor is a send that is being deleted, a step at a time', async () => {
    const { ledger, clock } = await startRig(open, { permits: 1000 });
    await confirmed(ledger, aJob('j1', Array<number>(102).fill(1)));
    for (let index = 0; index < 101; index += 1) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, SENT);
    }
    const last = await taken(ledger, forJobs());
    clock.advance(31_000);
    await ledger.recover();
    const resends = { send: 'j1', indexes: [last.ref.index] };
    await confirmed(ledger, aJob('again', [1], { resends }));
    await ledger.pause('again', 'person');
    await ledger.settle(last.ref, last.token, SENT);
    await drain(ledger);
    clock.advance(DAY_MS);
    expect(await forgetAll(ledger)).toBeGreaterThan(0);
    expect(await ledger.deleteForgotten(clock.now())).toBe(1);
    expect(await ledger.find('j1')).toBeDefined();
    expect(await ledger.sentAfterAll(resends)).toBe('forgotten');
  });

  test('a deleted send leaves nothing that a resend may send', async () => {
    const { ledger } = await startRig(open);
    expect(await ledger.sentAfterAll({ send: 'deleted', indexes: [0] })).toBe('forgotten');
  });

  test('a number that is erased during a resend keeps no others from another one, once the resend is stopped', async () => {
    const { ledger, clock } = await startRig(open);
    const list = aJob('j1', [1, 2]);
    await confirmed(ledger, list);
    for (const _chunk of list.chunks) await taken(ledger, forJobs());
    clock.advance(31_000);
    await ledger.recover();
    const { chunks } = list;
    await confirmed(ledger, aJob('again', [], { chunks, resends: { send: 'j1', indexes: [0, 1] } }));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, SENT);
    await drain(ledger);
    await listAll(ledger);
    const phone = chunks[1]?.[0]?.phone ?? '';
    expect(await ledger.erase(phone, { remains, hashOf: () => 'unclaimed' })).toEqual({ erased: 1, open: 1 });
    expect(await ledger.stop('again')).toBe(true);
    await ledger.draft(aJob('once more', [1], { resends: { send: 'j1', indexes: [1] } }));
    expect(await ledger.decide('once more', { to: 'running', by: 'U1' })).toMatchObject({ won: true });
  });

  test('a number that one process erases is shown by none, even if another has read it', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const [one, two, three] = [
      { phone: '4479000001', text: 'Hello', row: 2 },
      { phone: '4479000002', text: 'Hello', row: 3 },
      { phone: '4479000003', text: 'Hello', row: 4 },
    ];
    await confirmed(ledger, aJob('j1', [1, 1], { chunks: [[one, two], [three]] }));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, SENT);
    await ledger.stop('j1');
    await drain(ledger);
    await listAll(ledger);
    expect((await ledger.chunks('j1')).flatMap(({ messages }) => messages)).toEqual([one, two, three]);
    const beside = await reopen();
    for (const { phone } of [one, three]) {
      expect(await beside.erase(phone, { remains, hashOf: () => 'unclaimed' })).toEqual({
        erased: 1,
        open: 0,
      });
      expect(await beside.erase(phone, { remains, hashOf: () => 'unclaimed' })).toEqual({
        erased: 0,
        open: 0,
      });
    }
    const gone = { phone: '', text: '' };
    const left = [{ ...gone, row: 2 }, two, { ...gone, row: 4 }];
    for (const reader of [ledger, beside]) {
      expect((await reader.chunks('j1')).flatMap(({ messages }) => messages)).toEqual(left);
    }
    clock.advance(DAY_MS);
    await forgetAll(ledger);
    expect((await ledger.chunks('j1')).map(({ messages }) => messages)).toEqual([[], []]);
  });

  test('a decision that comes while a long job is being forgotten is not lost: its texts are forgotten, too', async () => {
    const { ledger, clock } = await startRig(open);
    const sizes = Array.from({ length: 150 }, () => 1);
    await confirmed(ledger, aJob('j1', sizes));
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, UNANSWERED);
    await ledger.stop('j1');
    clock.advance(DAY_MS);
    await listAll(ledger);
    const request = { team: 'T1', endedBefore: clock.now(), remains };
    expect(await ledger.forgetEnded(request)).toBe(1);
    expect((await ledger.chunks('j1')).filter(({ messages }) => messages.length > 0)).toHaveLength(51);
    expect(await ledger.saySent(resendOf(ref), 'U2')).toEqual({ won: true });
    await drain(ledger);
    await forgetAll(ledger, request.endedBefore);
    expect((await ledger.chunks('j1')).filter(({ messages }) => messages.length > 0)).toEqual([]);
  });

  test('an export has every part of a workspace’s sends, for each reader, and nothing of another workspace', async () => {
    const { ledger } = await startRig(open);
    for (const [id, team] of [
      ['s1', 'T1'],
      ['s2', 'T2'],
    ] as const) {
      await ledger.draft(aSingle(id, { team }));
      for (const row of [`approval:${id}`, `approval:${id}:U1`, `job:${id}:pause`])
        await ledger.announce({ id: row, topic: 'told', subject: id, details: { team } });
    }
    const exported = await Array.fromAsync(ledger.exportTeam('T1', []));
    expect(exported.map(({ kind, id }) => `${kind} ${id}`).sort()).toEqual([
      'outbox approval:s1',
      'outbox approval:s1:U1',
      'outbox job:s1:pause',
      'sends s1',
    ]);
  });

  test('forgotten sends are deleted in the end, in steps', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(
      ledger,
      aJob(
        'j1',
        Array.from({ length: 120 }, () => 1),
        { channelId: 'C-old' },
      ),
    );
    for (let i = 0; i < 120; i += 1) {
      const answer = await ledger.take(forJobs());
      if (answer.kind !== 'taken') {
        clock.advance(61_000);
        i -= 1;
        continue;
      }
      const { send, index, token = '' } = answer.chunk;
      await ledger.settle({ send, index }, token, REJECTED);
    }
    clock.advance(DAY_MS);
    await sentSingle(ledger, 'young', { instance: 'i2' });
    await forgetAll(ledger, clock.now() - DAY_MS / 2);
    expect(await ledger.deleteForgotten(clock.now() - 2 * DAY_MS)).toBe(0);
    expect(await ledger.deleteForgotten(clock.now())).toBe(1);
    expect(await ledger.find('j1')).toBeDefined();
    expect(await ledger.deleteForgotten(clock.now())).toBe(1);
    expect(await ledger.deleteForgotten(clock.now())).toBe(0);
    expect(await ledger.find('j1')).toBeUndefined();
    expect((await ledger.chunks('young'))[0]?.messages).toHaveLength(1);
  });

  test('messages to Slack that tell of no send go with age, as do states that are over', async () => {
    const { ledger, clock } = await startRig(open);
    const row = { topic: 'low_credit', subject: 'T1/C1', details: null };
    await ledger.announce({ ...row, id: 'low_credit:T1/C1:1' });
    await drain(ledger);
    await ledger.announce({ ...row, id: 'low_credit:T1/C1:2' });
    await ledger.changeState('armed', { from: undefined, to: 'armed', details: null, isOver: true });
    await ledger.changeState('low', { from: undefined, to: 'low', details: null });
    await sentSingle(ledger, 's1', { topics: ['receipt'] });
    clock.advance(DAY_MS);
    for (const what of ['rows', 'states'] as const) {
      expect(await ledger.deleteOver(what, clock.now() - DAY_MS - 1)).toBe(0);
      expect(await ledger.deleteOver(what, clock.now() - DAY_MS)).toBe(1);
      expect(await ledger.deleteOver(what, clock.now() - DAY_MS)).toBe(0);
    }
    expect(await ledger.namedState('armed')).toBeUndefined();
    expect(await ledger.namedState('low')).toBeDefined();
    // The bot still posts what waits. A send's message is deleted with its send.
    expect((await drain(ledger)).sort()).toEqual(['low_credit:T1/C1:2', 'receipt:s1']);
    clock.advance(DAY_MS);
    expect(await ledger.deleteOver('rows', clock.now())).toBe(1);
    await ledger.announce({ id: 'receipt:s1', topic: 'receipt', subject: 's1', details: null });
    expect(await ledger.takeDue(freshToken(), 1000)).toMatchObject({ id: 'receipt:s1', posted: {} });
  });
}
