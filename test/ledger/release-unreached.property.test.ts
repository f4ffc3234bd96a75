import { expect, test } from 'vitest';
import { inChunks } from '../../src/core/lists/in-chunks.ts';
import type { ChunkRecord, LedgerMessage } from '../../src/ledger/model/chunk-record.ts';
import { createDice } from '../helpers/dice.ts';
import {
  type Attempt,
  aJob,
  forJobs,
  NOT_SENT,
  neverStarted,
  REJECTED,
  SENT,
  sentFor,
  startRig,
  taken,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { asking, month } from './ledger.contract.budgets.ts';
import { openInMemory } from './ledger-rigs.ts';

const HISTORIES = 200;
const ANSWERS = [SENT, UNANSWERED, REJECTED, neverStarted()];

const phonesOf = (chunks: Pick<ChunkRecord, 'messages'>[]) =>
  chunks.flatMap(({ messages }) => messages.map(({ phone }) => phone)).sort();

test(`a resend that is stopped gives back what it surely never sent, and nothing else (${HISTORIES} histories)`, async () => {
  let partly = 0;
  for (let seed = 0; seed < HISTORIES; seed += 1) {
    const dice = createDice(seed);
    const upTo = (most: number) => 1 + Math.floor(dice() * most);
    const { ledger, clock } = await startRig(openInMemory, { permits: 1000 });
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);

    async function run(id: string, chunks: LedgerMessage[][], indexes?: number[]): Promise<void> {
      const resends = indexes && { resends: { send: 'first', indexes } };
      await ledger.draft(aJob(id, [], { chunks, ...resends }));
      const budget = asking(chunks.flat().length, month(1000));
      const { won } = await ledger.decide(id, { to: 'running', by: 'U1', budget });
      if (!won) throw new Error(`${id} was not decided`);
    }
    async function settle({ ref, token }: Attempt, answer: (typeof ANSWERS)[number]): Promise<void> {
      await ledger.settle(ref, token, answer);
      await ledger.resume(ref.send);
    }
    const unknown = async (id: string) => ledger.chunks(id, { state: 'unknown' });
    const open = async () => (await unknown('first')).filter(({ resentAs }) => resentAs === undefined);

    const sizes = Array.from({ length: upTo(4) }, () => upTo(5));
    const list = aJob('x', sizes).chunks;
    await run('first', list);
    const attempts: Attempt[] = [];
    for (const _each of sizes) attempts.push(await taken(ledger, forJobs()));
    // Some answers come only at the end.
    const silent = attempts.filter(() => dice() < 0.5);
    for (const attempt of attempts) if (!silent.includes(attempt)) await settle(attempt, UNANSWERED);
    clock.advance(30_000);
    await ledger.recover();
    if (dice() < 0.5) {
      const found = (await unknown('first')).map(({ send, index, messages }) => ({
        ref: { send, index },
        evidence: 'seen',
        ...(dice() < 0.7 && { charge: dice() < 0.5 ? 0 : messages.length }),
      }));
      await ledger.recordEvidence(await ledger.markBalanceRead('a1'), 100, found);
    }

    /** Answers the silent chunks: each was sent, for a credit a message. */
    async function answerAtLast(): Promise<void> {
      const sent = silent.map(({ ref }) => ({ messages: list[ref.index] ?? [] }));
      for (const [at, { ref, token }] of silent.entries()) {
        const answer = sentFor(sent[at]?.messages.length);
        expect(await ledger.settle(ref, token, answer), `seed ${seed}`).toMatchObject({ settled: true });
      }
      const found = await ledger.chunks('first', { state: 'sent' });
      expect(phonesOf(found), `seed ${seed}`).toEqual(phonesOf(sent));
      expect(await ledger.tally('first')).toMatchObject({ creditsUsed: phonesOf(sent).length });
    }

    const before = await open();
    const all = before.flatMap(({ messages }) => messages);
    const chunks = [...inChunks(all, upTo(4))];
    await run(
      'again',
      chunks,
      before.map(({ index }) => index),
    );
    const late: Attempt[] = [];
    for (let times = Math.floor(dice() * (chunks.length + 2)); times > 0; times -= 1) {
      const result = await ledger.take({ ...forJobs(), token: `t${seed}-${times}` });
      if (result.kind !== 'taken') break;
      const { send, chunk } = result;
      const attempt = { ref: { send: send.id, index: chunk.index }, token: `t${seed}-${times}`, send, chunk };
      if (dice() < 0.3) late.push(attempt);
      else await settle(attempt, ANSWERS[Math.floor(dice() * ANSWERS.length)] ?? SENT);
    }
    await ledger.stop('again');
    for (const attempt of late) await settle(attempt, dice() < 0.5 ? SENT : UNANSWERED);
    // A late truth may be that a chunk was not sent at all.
    for (const { send, index, token = '' } of await unknown('again'))
      if (dice() < 0.3) await ledger.settle({ send, index }, token, NOT_SENT);

    // All of it may have been charged: no text of the first list is only presumed to be taken.
    const tokens = (await unknown('first')).map(({ token }) => token);
    expect(tokens, `seed ${seed}`).not.toContain(undefined);

    const ended = await ledger.chunks('again');
    const carried = ended.filter(({ state }) => state === 'sent' || state === 'unknown');
    const cancelled = ended.filter(({ state }) => state === 'cancelled');
    const after = await open();
    const given = phonesOf(after);
    if ((await ledger.find('again'))?.state === 'stopped') {
      // Of a chunk, all or nothing.
      const unreached = new Set(phonesOf(cancelled));
      const isUnreached = ({ phone }: LedgerMessage) => unreached.has(phone);
      const surely = before.filter(({ messages }) => messages.every(isUnreached));
      expect(given, `seed ${seed}`).toEqual(phonesOf(carried.length === 0 ? before : surely));
      if (given.length > 0 && carried.length > 0) partly += 1;
    }
    expect(phonesOf(await unknown('first'))).toEqual(phonesOf(before));
    if (after.length === 0) {
      await answerAtLast();
      continue;
    }
    const rest = after.flatMap(({ messages }) => messages);
    const indexes = after.map(({ index }) => index);
    await run('once more', [...inChunks(rest, 3)], indexes);
    expect(await open()).toEqual([]);
    expect(phonesOf(carried).filter((phone) => given.includes(phone))).toEqual([]);
    await answerAtLast();
  }
  expect(partly).toBeGreaterThan(HISTORIES / 10);
});
