import { expect, test } from 'vitest';
import { remains } from '../../src/core/history/remains.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { HASH_CHARACTERS } from '../../src/ledger/look-up/number-leaf.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import type { Decision, NewSend } from '../../src/ledger/model/decision-types.ts';
import { defined } from '../../src/ledger/model/defined.ts';
import { LONGEST_WAIT_MS } from '../../src/ledger/permits/rate-limit.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  halved,
  messages,
  NOT_SENT,
  neverStarted,
  type OpenLedger,
  REJECTED,
  refused,
  resendOf,
  resolvedPerMessage,
  SENT,
  splitInto,
  startRig,
  states,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';

const HOUR_MS = 3_600_000;
const WORDS = { hash: 'hash-of-hello', repeatGuardMs: 24 * HOUR_MS };

/** Decides a draft. All drafts of this file have the same words. */
function decide(ledger: Ledger, id: string, over: Partial<Decision['words']> & { by?: string } = {}) {
  const { by = 'U1', ...words } = over;
  return ledger.decide(id, { to: 'running', by, words: { ...WORDS, ...words } });
}

/** A single text with those words and this end. */
async function endedAs(
  ledger: Ledger,
  id: string,
  settlement: Settlement,
  over: Partial<NewSend> = {},
): Promise<void> {
  await ledger.draft(aSingle(id, over));
  expect(await decide(ledger, id)).toMatchObject({ won: true });
  const { ref, token } = await taken(ledger);
  await ledger.settle(ref, token, settlement);
}

/** Which send has the same words for the same number, and whose word the guard asks for. */
export function guardContract(open: OpenLedger): void {
  test('20 people send the same words to a number at the same moment: one wins, the others read who', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const other = await reopen();
    const ids = Array.from({ length: 20 }, (_, i) => `s${i}`);
    for (const id of ids) await ledger.draft(aSingle(id));
    const answers = await Promise.all(
      ids.map((id, i) => decide(i % 2 ? other : ledger, id, { by: `U${i}` })),
    );
    const first = answers.findIndex(({ won }) => won);
    for (const [i, answer] of answers.entries()) {
      if (i === first) continue;
      const same = { send: `s${first}`, by: `U${first}`, at: clock.now(), state: 'pending' };
      expect(answer).toMatchObject({ won: false, why: 'same_words', same, send: { state: 'draft' } });
    }
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: `s${first}` });
  });

  test('a person who read of a send may send all the same, but not over a later send', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    for (const id of ['s2', 's3']) await ledger.draft(aSingle(id));
    expect(await decide(ledger, 's2', { allowed: 's1' })).toMatchObject({ won: true });
    expect(await decide(ledger, 's3', { allowed: 's1' })).toMatchObject({ same: { send: 's2' } });
    expect(await decide(ledger, 's3', { allowed: 's2' })).toMatchObject({ won: true });
  });

  test('other words, another workspace and a guard that is off ask nobody', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aSingle('s2'));
    await ledger.draft(aSingle('s3', { team: 'T2' }));
    await ledger.draft(aSingle('s4'));
    expect(await decide(ledger, 's2', { hash: 'hash-of-bye' })).toMatchObject({ won: true });
    expect(await decide(ledger, 's3')).toMatchObject({ won: true });
    expect(await ledger.decide('s4', { to: 'running', by: 'U1' })).toMatchObject({ won: true });
  });

  test.each([
    ['sent', SENT, true],
    ['unknown', UNANSWERED, true],
    ['rejected', REJECTED, false],
    ['not sent', NOT_SENT, false],
  ] as [string, Settlement, boolean][])('a text that was %s: asks %s', async (_name, settlement, asks) => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', settlement);
    await ledger.draft(aSingle('s2'));
    expect((await decide(ledger, 's2')).won).toBe(!asks);
  });

  test('a text that was withdrawn asks nobody', async () => {
    const { ledger } = await startRig(open);
    for (const id of ['s1', 's2']) await ledger.draft(aSingle(id));
    await ledger.decide('s1', { to: 'cancelled', by: 'U1', words: WORDS });
    expect(await decide(ledger, 's2')).toMatchObject({ won: true });
  });

  test('a text that was stopped asks: it waited in an old copy, so it may have gone out since', async () => {
    const { ledger } = await startRig(open);
    for (const id of ['s1', 's2']) await ledger.draft(aSingle(id));
    await decide(ledger, 's1');
    await ledger.stop('s1');
    expect(await decide(ledger, 's2')).toMatchObject({ why: 'same_words', same: { state: 'unknown' } });
  });

  test('a text that was undone asks nobody, also once retention has deleted it', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's0', SENT);
    await ledger.draft(aSingle('s1'));
    const waits = { to: 'running', by: 'U1', startsInMs: 5000 } as const;
    await ledger.decide('s1', { ...waits, words: { ...WORDS, allowed: 's0' } });
    await ledger.undo('s1', { by: 'U1', details: {}, keeps: null });
    clock.advance(HOUR_MS);
    await ledger.recover();
    await drain(ledger);
    await ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains });
    expect(await ledger.find('s1')).toBeUndefined();
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: 's0', state: 'sent' });
  });

  test('a repeat that went nowhere does not hide the text before it', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aSingle('s2'));
    await decide(ledger, 's2', { allowed: 's1' });
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, REJECTED);
    await ledger.draft(aSingle('s3'));
    expect(await decide(ledger, 's3')).toMatchObject({ same: { send: 's1', state: 'sent' } });
  });

  test('two repeats at once that went nowhere do not hide it either', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    for (const id of ['s2', 's3', 's4']) await ledger.draft(aSingle(id));
    await decide(ledger, 's2', { allowed: 's1' });
    await decide(ledger, 's3', { allowed: 's2' });
    for (const _ of ['s2', 's3']) {
      const { ref, token } = await taken(ledger);
      await ledger.settle(ref, token, REJECTED);
    }
    expect(await decide(ledger, 's4')).toMatchObject({ same: { send: 's1', state: 'sent' } });
  });

  test('an unknown text that is sent again asks nobody, and the next text is asked about it', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's1', UNANSWERED);
    clock.advance(30_000);
    await ledger.draft(aSingle('s2', { resends: resendOf({ send: 's1', index: 0 }) }));
    expect(await decide(ledger, 's2')).toMatchObject({ won: true });
    await ledger.draft(aSingle('s3'));
    expect(await decide(ledger, 's3')).toMatchObject({ same: { send: 's2' } });
  });

  test('asks until its time is over, and knows nothing of it after that', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    clock.advance(WORDS.repeatGuardMs - 1);
    await ledger.recover();
    await ledger.draft(aSingle('s2'));
    expect(await decide(ledger, 's2')).toMatchObject({ same: { send: 's1' } });
    clock.advance(1);
    expect(await decide(ledger, 's2')).toMatchObject({ won: true });
    clock.advance(WORDS.repeatGuardMs);
    expect((await ledger.pendingWork()).needsRecovery).toBe(true);
    await ledger.recover();
    expect((await ledger.pendingWork()).needsRecovery).toBe(false);
    const left = ledger.exportTeam('T1', []);
    for await (const { kind } of left) expect(kind).not.toBe('guards');
  });

  const words = (count: number, from = 0) =>
    Array.from({ length: count }, (_, i) => ({ hash: `hash-${from + i}`, repeatGuardMs: 24 * HOUR_MS }));
  /** Takes a job's next chunk. Says at which places other sends have the words. */
  async function claimed(ledger: Ledger, list: ReturnType<typeof words>) {
    const { send, chunk, token } = await taken(ledger, forJobs());
    const ref = { send: send.id, index: chunk.index };
    return {
      send,
      chunk,
      token,
      ref,
      places: await ledger.claimChunk(send, { index: chunk.index, token, words: list }),
    };
  }
  const settledAs = async (
    ledger: Ledger,
    attempt: Awaited<ReturnType<typeof claimed>>,
    settlement: Settlement,
  ) => ledger.settle(attempt.ref, attempt.token, settlement);

  test('a list’s chunk claims the words that nobody else brings, and says which others do', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await confirmed(ledger, aJob('j1', [3]));
    const [first, , last] = words(3);
    if (!first || !last) throw new Error('three words');
    const { places } = await claimed(ledger, [first, WORDS, last]);
    expect(places).toEqual([1]);
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: 's1' });
    expect(await ledger.sameWords('T1', last.hash)).toMatchObject({ send: 'j1', by: 'U1', state: 'sending' });
    // Nobody knows yet whether the list's own are sent.
    expect(await ledger.whichRepeat('T1', [first.hash, 'unheard-of', WORDS.hash])).toEqual(
      new Set([WORDS.hash]),
    );
  });

  test('two lists have the same words: one of them claims them, and the other waits for the outcome', async () => {
    const { ledger, reopen } = await startRig(open);
    const other = await reopen();
    await confirmed(ledger, aJob('j1', [20]));
    await confirmed(ledger, aJob('j2', [20], { instance: 'i2' }));
    const one = await taken(ledger, forJobs());
    const two = await taken(other, forJobs({ instance: 'i2' }));
    const list = words(20);
    const claim = {
      one: () => ledger.claimChunk(one.send, { index: 0, token: one.token, words: list }),
      two: () => other.claimChunk(two.send, { index: 0, token: two.token, words: list }),
    };
    const [first, second] = await Promise.all([claim.one(), claim.two()]);
    expect([first, second].filter((places) => places !== undefined)).toEqual([[]]);
    const [winner, loser, askAgain] = first ? [one, two, claim.two] : [two, one, claim.one];
    expect(await askAgain()).toBeUndefined();
    await ledger.settle(winner.ref, winner.token, SENT);
    expect(await askAgain()).toEqual([...list.keys()]);
    await ledger.settle(loser.ref, loser.token, NOT_SENT);
  });

  test('what a list waits to send again is no repeat: another list sends it, and then the first one does not', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2]));
    await settledAs(ledger, await claimed(ledger, words(2)), neverStarted());
    await ledger.pause('j1', 'person');
    expect(await ledger.sameWords('T1', 'hash-0')).toBeUndefined();
    expect(await ledger.whichRepeat('T1', ['hash-0', 'hash-1'])).toEqual(new Set());
    await confirmed(ledger, aJob('j2', [2]));
    const later = await claimed(ledger, words(2));
    expect(later.places).toEqual([]);
    await settledAs(ledger, later, SENT);
    await ledger.resume('j1');
    expect((await claimed(ledger, words(2))).places).toEqual([0, 1]);
  });

  test('a list’s chunk waits while a text of its words can be undone, also after its undo time, until it has an outcome', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    await ledger.decide('s1', { to: 'running', by: 'U1', startsInMs: 5000, words: WORDS });
    await confirmed(ledger, aJob('j1', [1], { instance: 'i2' }));
    const { send, token } = await taken(ledger, forJobs({ instance: 'i2' }));
    const places = () => ledger.claimChunk(send, { index: 0, token, words: [WORDS] });
    const repeats = () => ledger.whichRepeat('T1', [WORDS.hash]);
    expect([await places(), await repeats()]).toEqual([undefined, new Set()]);
    clock.advance(6000);
    expect([await places(), await repeats()]).toEqual([undefined, new Set()]);
    const text = await taken(ledger);
    expect([await places(), await repeats()]).toEqual([undefined, new Set()]);
    await ledger.settle(text.ref, text.token, SENT);
    expect([await places(), await repeats()]).toEqual([[0], new Set([WORDS.hash])]);
  });

  test('a list’s chunk waits while a text of its words waits, too: that may not be sent after all', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.draft(aSingle('s1'));
    await ledger.decide('s1', { to: 'running', by: 'U1', words: WORDS });
    await confirmed(ledger, aJob('j1', [1], { instance: 'i2' }));
    const { send, token } = await taken(ledger, forJobs({ instance: 'i2', rateLimitKey: 'k2' }));
    const places = () => ledger.claimChunk(send, { index: 0, token, words: [WORDS] });
    const repeats = () => ledger.whichRepeat('T1', [WORDS.hash]);
    expect([await places(), await repeats()]).toEqual([undefined, new Set()]);
    const text = await taken(ledger);
    await ledger.settle(text.ref, text.token, refused(LONGEST_WAIT_MS));
    expect([await places(), await repeats()]).toEqual([undefined, new Set()]);
    clock.advance(LONGEST_WAIT_MS);
    await ledger.recover();
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
    expect(await ledger.sameWords('T1', WORDS.hash)).toBeUndefined();
  });

  test('an attempt that is over claims nothing', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1]));
    const { send, token } = await taken(ledger, forJobs());
    clock.advance(30_000);
    await ledger.recover();
    expect(await ledger.claimChunk(send, { index: 0, token, words: words(1) })).toBeUndefined();
    expect(await ledger.sameWords('T1', 'hash-0')).toBeUndefined();
  });

  test('a chunk that was given back claims again, also after a split; stopped parts let go of their words', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2]));
    const list = words(2);
    await settledAs(ledger, await claimed(ledger, list), neverStarted());
    const again = await claimed(ledger, list);
    expect(again.places).toEqual([]);
    await settledAs(ledger, again, halved(again.chunk.messages));
    expect(await ledger.sameWords('T1', 'hash-0')).toBeUndefined();
    const child = await claimed(ledger, list.slice(0, 1));
    expect(child).toMatchObject({ ref: { index: 1 }, places: [] });
    await settledAs(ledger, child, SENT);
    await ledger.stop('j1');
    expect(await ledger.sameWords('T1', 'hash-0')).toMatchObject({ send: 'j1', state: 'sent' });
    await confirmed(ledger, aJob('j2', [2]));
    // The job stopped before its other half was taken.
    expect((await claimed(ledger, list)).places).toEqual([0]);
  });

  test.each([
    ['sent', 'unknown'],
    ['unknown', 'sent'],
  ] as const)('of a chunk whose messages were %s and %s each is what it was', async (...states) => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2]));
    const chunk = await claimed(ledger, words(2));
    const parts = chunk.chunk.messages.map((message, place) => aPart(states[place] ?? 'sent', [message]));
    await settledAs(ledger, chunk, resolvedPerMessage(parts));
    for (const [place, state] of states.entries())
      expect(await ledger.sameWords('T1', `hash-${place}`)).toMatchObject({ send: 'j1', state });
  });

  test('a split that sent nothing lets go of its words when it is stopped', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [2]));
    const first = await claimed(ledger, words(2));
    await settledAs(ledger, first, halved(first.chunk.messages));
    await ledger.stop('j1');
    expect(await ledger.sameWords('T1', 'hash-0')).toBeUndefined();
  });

  test('repeats of a list are not sent after the decision, and say why', async () => {
    const { ledger } = await startRig(open);
    await ledger.draft(aJob('j1', [2, 1]));
    await ledger.appendChunks('j1', [messages(2)], { details: { repeats: 3 }, keeps: { by: 'U1' } });
    await ledger.appendChunks('j1', [messages(1)], { details: { repeats: 3 }, keeps: { by: 'U1' } });
    expect(await ledger.find('j1')).toMatchObject({ details: { by: 'U1', repeats: 3 }, keeps: { by: 'U1' } });
    const repeats = { result: { cause: 'repeated' }, barredFor: 'repeated' } as const;
    expect(await ledger.decide('j1', { to: 'running', by: 'U1', repeats })).toMatchObject({ won: true });
    expect((await ledger.tally('j1')).states.pending).toEqual({ chunks: 2, messages: 3 });
    expect(await ledger.tally('j1')).toMatchObject({
      states: { not_sent: { chunks: 2, messages: 3 } },
      barred: { repeated: 3 },
    });
    expect(
      (await ledger.chunks('j1')).map(({ state, messages: { length }, ...chunk }) => ({
        state,
        length,
        cause: chunk.result,
      })),
    ).toEqual([
      { state: 'pending', length: 2, cause: undefined },
      { state: 'pending', length: 1, cause: undefined },
      { state: 'not_sent', length: 2, cause: { cause: 'repeated' } },
      { state: 'not_sent', length: 1, cause: { cause: 'repeated' } },
    ]);
    for (const size of [2, 1]) {
      const { ref, token, chunk } = await taken(ledger, forJobs());
      expect(chunk.messages).toHaveLength(size);
      await ledger.settle(ref, token, SENT);
    }
    expect((await ledger.find('j1'))?.state).toBe('finished');
  });

  test('repeats that a person included are sent, whoever sent the words before; other repeats of the list are not', async () => {
    const { ledger } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aJob('j1', [1]));
    await ledger.appendChunks('j1', [messages(1)], { details: {}, keeps: null });
    await ledger.decide('j1', { to: 'running', by: 'U1', repeats: 'include' });
    expect((await ledger.tally('j1')).states.pending).toEqual({ chunks: 2, messages: 2 });
    expect((await claimed(ledger, [WORDS])).places).toEqual([0]);
    expect((await claimed(ledger, [WORDS])).places).toEqual([]);
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: 'j1' });
  });

  test('unknown messages that are sent again claim their words from any other send', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aJob('j1', [1]));
    await settledAs(ledger, await claimed(ledger, [WORDS]), UNANSWERED);
    clock.advance(30_000);
    await confirmed(ledger, aJob('j2', [1], { resends: resendOf({ send: 'j1', index: 0 }) }));
    expect((await claimed(ledger, [WORDS])).places).toEqual([]);
    expect(await ledger.sameWords('T1', WORDS.hash)).toMatchObject({ send: 'j2' });
  });

  test('messages that were left out are counted by reason', async () => {
    const { ledger } = await startRig(open);
    await confirmed(ledger, aJob('j1', [3]));
    const { ref, token, chunk } = await claimed(ledger, words(3));
    const [kept, ...left] = chunk.messages;
    if (!kept) throw new Error('three messages');
    const barred = { result: { cause: 'repeated' }, barredFor: 'repeated' as const };
    await ledger.settle(ref, token, {
      ...splitInto([[kept]], { request: 'never_started' }),
      leftOut: [{ messages: left, ...barred }],
    } as Settlement);
    expect(await ledger.tally('j1')).toMatchObject({
      barred: { repeated: 2 },
      states: { not_sent: { messages: 2 } },
    });
    const last = await claimed(ledger, words(1));
    await ledger.settle(last.ref, last.token, { to: 'not_sent', request: 'never_started', ...barred });
    expect(await ledger.tally('j1')).toMatchObject({ barred: { repeated: 3 } });
    expect(
      (await ledger.chunks('j1', { state: 'not_sent' })).every((each) => each.barredFor === 'repeated'),
    ).toBe(true);
  });

  test('counts what it held back, by channel, for seven days: what was left out, and texts that nobody sent anyway', async () => {
    const { ledger, clock } = await startRig(open);
    await endedAs(ledger, 's1', SENT);
    for (const id of ['s2', 's3', 's4']) await ledger.draft(aSingle(id, { isAsked: true }));
    for (const id of ['s5', 's6']) await ledger.draft(aSingle(id));
    await decide(ledger, 's2', { allowed: 's1' });
    await ledger.decide('s3', { to: 'cancelled', by: 'U1' });
    await ledger.decide('s4', { to: 'superseded', by: 'U1' });
    // The guard asks about this draft twice at its decision. Then its person withdraws it.
    await decide(ledger, 's5');
    await decide(ledger, 's5');
    await ledger.decide('s5', { to: 'cancelled', by: 'U1' });
    await ledger.decide('s6', { to: 'cancelled', by: 'U1' });
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(2);
    await ledger.draft(aJob('j1', [3], { channelId: 'C2' }));
    await ledger.appendChunks('j1', [messages(2)], { details: {}, keeps: null });
    const left = { result: { cause: 'repeated' }, barredFor: 'repeated' as const };
    await ledger.decide('j1', { to: 'running', by: 'U1', repeats: left });
    const { ref, token } = await taken(ledger, forJobs());
    await ledger.settle(ref, token, { to: 'not_sent', request: 'never_started', ...left });
    await ledger.settle(ref, token, { to: 'not_sent', request: 'never_started', ...left });
    expect(await ledger.heldBackLately('T1', 'C2')).toBe(5);
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(2);
    expect(await ledger.heldBackLately('T2', 'C2')).toBe(0);
    await ledger.draft(aSingle('s7', { isAsked: true }));
    clock.advance(6 * 24 * HOUR_MS);
    await ledger.recover();
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(3);
    clock.advance(24 * HOUR_MS);
    await ledger.recover();
    expect(await ledger.heldBackLately('T1', 'C2')).toBe(0);
    const kinds = new Set<string>();
    for await (const { kind, value } of ledger.exportTeam('T1', [])) {
      if (kind === 'held-back') kinds.add((value as { channelId: string }).channelId);
    }
    expect([...kinds]).toEqual(['C1']);
  });

  test('an undone list held nothing back; a request that is declined after it was asked about did', async () => {
    const { ledger, clock } = await startRig(open);
    const left = { result: { cause: 'repeated' }, barredFor: 'repeated' as const };
    for (const id of ['j1', 'j2']) {
      await ledger.draft(aJob(id, [1]));
      await ledger.appendChunks(id, [messages(2)], { details: {}, keeps: null });
      await ledger.decide(id, { to: 'running', by: 'U1', repeats: left });
    }
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(4);
    // The undo is on another day than the decision.
    await ledger.pause('j1', 'person');
    clock.advance(24 * HOUR_MS);
    await ledger.undo('j1', { by: 'U1', details: {}, keeps: null });
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(2);
    await endedAs(ledger, 's1', SENT);
    await ledger.draft(aSingle('s2'));
    await ledger.decide('s2', { to: 'awaiting_approval', by: 'U1', approval: { topic: 'approval' } });
    const approved = { to: 'running', by: 'U2', words: WORDS, approval: {} } as const;
    expect(await ledger.decide('s2', approved)).toMatchObject({ why: 'same_words' });
    await ledger.decide('s2', { to: 'declined', by: 'switchboard', approval: { reason: 'sent before' } });
    expect(await ledger.heldBackLately('T1', 'C1')).toBe(3);
  });

  test('still asks about a text that an erasure leaves, since it waits or nobody has decided about it', async () => {
    const { ledger, clock } = await startRig(open);
    const phone = '4479000001';
    const hashOf = (_team: string, { phone: to, text }: LedgerMessage) => `${to} ${text}`;
    const words = { hash: `${phone} Hello`, repeatGuardMs: WORDS.repeatGuardMs };
    const sendTo = async (id: string, allowed?: string) => {
      await ledger.draft(aSingle(id, { chunks: [[{ phone, text: 'Hello' }]] }));
      return ledger.decide(id, { to: 'running', by: 'U1', words: { ...words, ...defined({ allowed }) } });
    };
    await sendTo('s1');
    const first = await taken(ledger);
    await ledger.settle(first.ref, first.token, SENT);
    expect(await sendTo('s2', 's1')).toMatchObject({ won: true });
    const second = await taken(ledger);
    await ledger.settle(second.ref, second.token, UNANSWERED);
    await drain(ledger);
    clock.advance(1000);
    while (await ledger.listNumbers((_team, to) => to.padEnd(HASH_CHARACTERS, '0')));
    expect(await ledger.erase(phone, { remains, hashOf })).toEqual({ erased: 1, open: 1 });
    expect(await sendTo('s3')).toMatchObject({ why: 'same_words', same: { send: 's2', state: 'unknown' } });
    await ledger.saySent({ send: 's2', indexes: [0] }, 'U1');
    await drain(ledger);
    await ledger.decide('s3', { to: 'cancelled', by: 'U1' });
    clock.advance(1000);
    while (await ledger.listNumbers((_team, to) => to.padEnd(HASH_CHARACTERS, '0')));
    expect(await ledger.erase(phone, { remains, hashOf })).toMatchObject({ open: 0 });
    expect(await ledger.whichRepeat('T1', [words.hash])).toEqual(new Set());
  });

  test('nor does an erasure take the claim of an undecided part of a list', async () => {
    const { ledger, clock } = await startRig(open);
    const list = ['4479000001', '4479000002'].map((to) => ({ phone: to, text: 'Bye', row: 2 }));
    const [unknown, sent] = list as [LedgerMessage, LedgerMessage];
    const hashOf = (_team: string, { phone, text }: LedgerMessage) => `${phone} ${text}`;
    const hashes = list.map((message) => hashOf('T1', message));
    await confirmed(ledger, aJob('j1', [2], { chunks: [list] }));
    const claims = hashes.map((hash) => ({ hash, repeatGuardMs: WORDS.repeatGuardMs }));
    const parts = [aPart('sent', [sent]), aPart('unknown', [unknown])];
    await settledAs(ledger, await claimed(ledger, claims), resolvedPerMessage(parts, 2));
    await drain(ledger);
    clock.advance(1000);
    while (await ledger.listNumbers((_team, to) => to.padEnd(HASH_CHARACTERS, '0')));
    expect(await ledger.erase(unknown.phone, { remains, hashOf })).toEqual({ erased: 1, open: 1 });
    expect(await ledger.whichRepeat('T1', hashes)).toEqual(new Set(hashes));
  });

  test('knows nothing of a number that an operator erased, in anybody’s text or list', async () => {
    const { ledger, clock } = await startRig(open);
    const [phone, other] = ['4479000001', '4479000002'];
    const hashOf = (_team: string, message: LedgerMessage) => `${message.phone} ${message.text}`;
    const wordsOf = (to: string) => ({ hash: `${to} Hello`, repeatGuardMs: WORDS.repeatGuardMs });
    await ledger.draft(aSingle('s1', { chunks: [[{ phone, text: 'Hello' }]] }));
    await decide(ledger, 's1', wordsOf(phone));
    const single = await taken(ledger);
    await ledger.settle(single.ref, single.token, SENT);
    const list = [phone, other].map((to) => ({ phone: to, text: 'Bye', row: 2 }));
    await confirmed(ledger, aJob('j1', [2], { chunks: [list] }));
    const claims = list.map(({ phone: to }) => ({ hash: `${to} Bye`, repeatGuardMs: WORDS.repeatGuardMs }));
    await settledAs(ledger, await claimed(ledger, claims), SENT);
    await drain(ledger);
    clock.advance(1000);
    while (await ledger.listNumbers((_team, to) => to.padEnd(HASH_CHARACTERS, '0')));
    expect(await ledger.erase(phone, { remains, hashOf })).toEqual({ erased: 2, open: 0 });
    expect(await ledger.whichRepeat('T1', [`${phone} Hello`, `${phone} Bye`, `${other} Bye`])).toEqual(
      new Set([`${other} Bye`]),
    );
  });
}
