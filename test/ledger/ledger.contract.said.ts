import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  inFlight,
  NOT_SENT,
  type OpenLedger,
  REJECTED,
  resendOf,
  resolvedPerMessage,
  SENT,
  startRig,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';

/** A person's word that an unknown text was sent. */
export function saidContract(open: OpenLedger): void {
  const saidBy = async (ledger: Ledger, id: string) =>
    (await ledger.chunks(id)).map(({ saidSentBy }) => saidSentBy);

  test('many people say that a text was sent: one word is written down, and it is announced once', async () => {
    const { ledger, reopen } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    await drain(ledger);
    const people = Array.from({ length: 20 }, (_, i) => `U${i}`);
    const answers = await Promise.all(people.map((by) => ledger.saySent(resendOf(ref), by)));
    const winner = people.filter((_, i) => answers[i]?.won);
    expect(winner).toHaveLength(1);
    for (const answer of answers) if (!answer.won) expect(answer).toEqual({ won: false, why: 'said_sent' });
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    const next = await reopen();
    expect((await next.chunks('s1'))[0]).toMatchObject({ state: 'unknown', saidSentBy: winner[0] });
  });

  test('books nothing, neither credits nor a message sent, and evidence still looks at the balance', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    const { ref } = await unknownSingle(ledger, 's1');
    const before = await ledger.account('a1');
    await ledger.saySent(resendOf(ref), 'U2');
    expect(await ledger.account('a1')).toEqual(before);
    expect(await ledger.tally('s1')).toMatchObject({ creditsUsed: 0, states: { unknown: { chunks: 1 } } });
    expect(await ledger.spentSince('T1', 'C1', 0)).toEqual({ credits: 0, messages: 0 });
    clock.advance(30_000);
    expect((await ledger.evidenceCase('a1'))?.unknowns).toMatchObject([{ send: 's1', saidSentBy: 'U2' }]);
  });

  test('a text that a person called sent is not sent again, not by an older draft either', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 's1');
    clock.advance(30_000);
    await ledger.draft(aSingle('again', { resends: resendOf(ref) }));
    expect((await ledger.saySent(resendOf(ref), 'U2')).won).toBe(true);
    expect(await ledger.decide('again', { to: 'running', by: 'U1' })).toMatchObject({
      won: false,
      why: 'said_sent',
      send: { state: 'draft' },
    });
    expect((await ledger.chunks('s1'))[0]?.resentAs).toBeUndefined();
  });

  test('a text that somebody leaves waits for no decision, also after a restart, and can still be resent', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
    const { ref } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    await drain(ledger);
    const before = await ledger.account('a1');
    expect(await ledger.leaveUnknown(resendOf(ref), 'U2')).toEqual({ won: true });
    const next = await reopen();
    expect(await next.unknowns('T1')).toEqual([]);
    expect(await next.undecided({ team: 'T1', kind: 'single', limit: 10 })).toEqual([]);
    expect(await drain(next)).toEqual([]);
    expect(await next.account('a1')).toEqual(before);
    clock.advance(30_000);
    expect((await next.evidenceCase('a1'))?.unknowns).toMatchObject([{ send: 's1', leftBy: 'U2' }]);
    await confirmed(next, aSingle('again', { resends: resendOf(ref) }));
    expect((await next.chunks('s1'))[0]).toMatchObject({ state: 'unknown', resentAs: 'again' });
    expect(await next.leaveUnknown(resendOf(ref), 'U2')).toEqual({ won: false, why: 'resent_already' });
  });

  test('nobody can call a text sent that was sent again', async () => {
    const { ledger, clock } = await startRig(open);
    const { ref } = await unknownSingle(ledger, 's1');
    clock.advance(30_000);
    await confirmed(ledger, aSingle('again', { resends: resendOf(ref) }));
    expect(await ledger.saySent(resendOf(ref), 'U2')).toEqual({ won: false, why: 'resent_already' });
    expect(await saidBy(ledger, 's1')).toEqual([undefined]);
  });

  test('a resend and a person’s word come at the same moment: one wins', async () => {
    const { ledger, clock } = await startRig(open);
    for (let i = 0; i < 10; i += 1) {
      const { ref } = await unknownSingle(ledger, `s${i}`);
      clock.advance(30_000);
      await ledger.draft(aSingle(`again${i}`, { resends: resendOf(ref) }));
      const resend = ledger.decide(`again${i}`, { to: 'running', by: 'U1' });
      const word = ledger.saySent(resendOf(ref), 'U2');
      expect([(await resend).won, (await word).won].filter(Boolean)).toHaveLength(1);
      await ledger.stop(`again${i}`);
    }
  });

  test('a person can call only an unknown text sent', async () => {
    const { ledger } = await startRig(open);
    const underWay = await inFlight(ledger, 'underWay');
    const clear = await inFlight(ledger, 'clear', { instance: 'i2' });
    await ledger.settle(clear.ref, clear.token, REJECTED);
    for (const chunks of [
      resendOf(underWay.ref),
      resendOf(clear.ref),
      { send: 'underWay', indexes: [7] },
      { send: 'nowhere', indexes: [0] },
    ]) {
      expect(await ledger.saySent(chunks, 'U2')).toEqual({ won: false, why: 'not_unknown' });
    }
  });

  test.each([
    ['sent', SENT],
    ['rejected', REJECTED],
    ['not_sent', NOT_SENT],
  ] as [string, Settlement][])('the true answer that comes late wins over it: %s', async (state, answer) => {
    const { ledger } = await startRig(open);
    const { ref, token } = await unknownSingle(ledger, 's1', { topics: ['receipt'] });
    await ledger.saySent(resendOf(ref), 'U2');
    await drain(ledger);
    expect((await ledger.settle(ref, token, answer)).settled).toBe(true);
    expect((await ledger.chunks('s1'))[0]).toMatchObject({ state, saidSentBy: 'U2' });
    expect((await ledger.tally('s1')).creditsUsed).toBe(state === 'sent' ? 1 : 0);
    expect(await drain(ledger)).toEqual(['receipt:s1']);
    expect(await ledger.saySent(resendOf(ref), 'U3')).toEqual({ won: false, why: 'not_unknown' });
  });

  test('several chunks of a job at once, all or none, and its card shows it while the job goes on', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1, 2, 3, 4], { topics: ['card'] }));
    for (const settlement of [UNANSWERED, UNANSWERED, SENT]) {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, settlement);
      await ledger.resume('j1');
    }
    await drain(ledger);
    expect(await ledger.saySent({ send: 'j1', indexes: [0, 2] }, 'U2')).toMatchObject({ why: 'not_unknown' });
    expect(await saidBy(ledger, 'j1')).toEqual([undefined, undefined, undefined, undefined]);
    expect((await ledger.saySent({ send: 'j1', indexes: [0, 1] }, 'U2')).won).toBe(true);
    expect(await saidBy(ledger, 'j1')).toEqual(['U2', 'U2', undefined, undefined]);
    expect(await states(ledger, 'j1')).toEqual(['unknown', 'unknown', 'sent', 'pending']);
    expect(await drain(ledger)).toEqual(['card:j1']);
    clock.advance(30_000);
    await ledger.draft(aJob('again', [3], { resends: { send: 'j1', indexes: [0, 1] } }));
    expect(await ledger.decide('again', { to: 'running', by: 'U1' })).toMatchObject({ why: 'said_sent' });
  });

  test('a late answer that parts the chunk keeps the word for the messages that it leaves unknown', async () => {
    const { ledger } = await startRig(open);
    for (const [id, decide, words] of [
      ['j1', ledger.saySent, 'saidSentBy'],
      ['j2', ledger.leaveUnknown, 'leftBy'],
    ] as const) {
      await confirmed(ledger, aJob(id, [2]));
      const { ref, token, chunk } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, UNANSWERED);
      await decide({ send: id, indexes: [0] }, 'U2');
      const [one, two] = chunk.messages;
      if (!one || !two) throw new Error('the chunk holds two');
      await ledger.settle(ref, token, resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [two])]));
      expect(await states(ledger, id)).toEqual(['split', 'sent', 'unknown']);
      expect((await ledger.chunks(id)).map((part) => part[words])).toEqual(['U2', undefined, 'U2']);
    }
    expect(await ledger.unknowns()).toEqual([]);
  });

  test('a text that was sent again, or called sent, needs no decision any more', async () => {
    const { ledger, clock } = await startRig(open);
    const refs = [];
    for (const id of ['open', 'said', 'resent']) refs.push((await unknownSingle(ledger, id)).ref);
    const [, said, resent] = refs;
    if (!said || !resent) throw new Error('three are unknown');
    clock.advance(30_000);
    await ledger.saySent(resendOf(said), 'U2');
    await confirmed(ledger, aSingle('again', { resends: resendOf(resent) }));
    expect((await ledger.unknowns()).map(({ send }) => send.id)).toEqual(['open']);
    expect((await ledger.unknowns('T1')).map(({ send }) => send.id)).toEqual(['open']);
  });
}
