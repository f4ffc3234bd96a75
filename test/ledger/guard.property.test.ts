import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import { createSteps } from '../../src/store/steps.ts';
import { createDice, type Dice } from '../helpers/dice.ts';
import {
  type Attempt,
  aJob,
  aPart,
  aSingle,
  forJobs,
  forSingles,
  halved,
  handClock,
  LIMITS,
  NOT_SENT,
  neverStarted,
  REJECTED,
  resolvedPerMessage,
  SENT,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const HISTORIES = 60;
const STEPS = 60;
const HASHES = ['a', 'b', 'c', 'd', 'e'];
const GUARD_MS = 60_000;

/** A random history. After each step, the guard must know the last text with each of some words. */
async function play(dice: Dice): Promise<number> {
  const clock = handClock();
  const limits = { ...LIMITS, permits: 1000, leaseMs: 1000, timeoutMs: 500 };
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), limits);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
  const words = () => ({ hash: pick(HASHES), repeatGuardMs: GUARD_MS });
  const ids: string[] = [];
  const attempts: Attempt[] = [];
  /** For each hash, the sends that claimed it, the latest last. Each send has only its last claim. */
  const claims = new Map<string, Map<string, { phone: string; until: number }>>();
  let told = 0;

  async function note(hash: string, send: string, phone: string): Promise<void> {
    const mine = claims.get(hash) ?? new Map<string, { phone: string; until: number }>();
    // A job that waits claims its words again before its next request.
    for (const [other, claim] of mine)
      if ((await stateNow(other, claim.phone)) === 'waits') mine.delete(other);
    mine.delete(send);
    claims.set(hash, mine.set(send, { phone, until: clock.now() + GUARD_MS }));
  }

  async function send(): Promise<void> {
    const id = `s${ids.length}`;
    const isSingle = dice() < 0.4;
    const sizes = Array.from({ length: 1 + Math.floor(dice() * 2) }, () => 1 + Math.floor(dice() * 4));
    const draft = isSingle ? aSingle(id) : aJob(id, sizes);
    const mine = words();
    await ledger.draft(draft);
    const decided = await ledger.decide(id, {
      to: 'running',
      by: 'U1',
      ...(isSingle && { words: mine }),
      ...(dice() < 0.3 && { startsInMs: 3000 }),
    });
    ids.push(id);
    if (decided.won && isSingle) await note(mine.hash, id, draft.chunks[0]?.[0]?.phone ?? '');
  }

  async function take(): Promise<void> {
    const request = dice() < 0.4 ? forSingles() : forJobs();
    const taken = await ledger.take(request);
    if (taken.kind !== 'taken') return;
    const { chunk } = taken;
    const attempt = { ...taken, ref: chunk, token: request.token };
    attempts.push(attempt);
    // Some bots die before the claim, or give the chunk back.
    if (taken.send.kind === 'single' || dice() < 0.2) return;
    const list = chunk.messages.map(words);
    const places = await ledger.claimChunk(taken.send, {
      index: chunk.index,
      token: request.token,
      words: list,
    });
    if (!places) return;
    for (const [place, { phone }] of chunk.messages.entries())
      if (!places.includes(place)) await note(list[place]?.hash ?? '', chunk.send, phone);
    if (places.length === 0) return;
    const kept = chunk.messages.filter((_, place) => !places.includes(place));
    const left = chunk.messages.filter((_, place) => places.includes(place));
    const without: Settlement = {
      to: 'split',
      request: 'never_started',
      children: [kept],
      leftOut: [{ messages: left, result: 'repeated', barredFor: 'repeated' }],
      mostRequests: 1000,
      otherwise: neverStarted(),
    };
    await ledger.settle(chunk, request.token, kept.length === 0 ? NOT_SENT : without);
  }

  async function settle(): Promise<void> {
    if (attempts.length === 0) return;
    const { ref, token, chunk } = pick(attempts);
    const [first, ...rest] = chunk.messages;
    const mixed = resolvedPerMessage([aPart('unknown', first ? [first] : []), aPart('sent', rest)]);
    const several = rest.length > 0 ? [mixed, halved(chunk.messages)] : [];
    await ledger.settle(ref, token, pick([SENT, REJECTED, NOT_SENT, UNANSWERED, neverStarted(), ...several]));
  }

  async function stateNow(send: string, phone: string) {
    const chunks = await ledger.chunks(send);
    const own = chunks.find(
      ({ state, messages }) => state !== 'split' && messages.some((each) => each.phone === phone),
    );
    const isText = (await ledger.find(send))?.kind === 'single';
    if (own?.state === 'pending' && !isText) return 'waits';
    // A text is stopped only if it may have waited in an old copy of the data: it may have gone out since.
    return own?.state === 'cancelled' && isText ? 'unknown' : own?.state;
  }

  /** The guard's right answer for these words: the last text with them that was sent, or still may be. */
  async function truth(hash: string) {
    let last: { send: string; state: string } | undefined;
    for (const [id, { phone, until }] of claims.get(hash) ?? []) {
      if (until <= clock.now()) continue;
      const state = await stateNow(id, phone);
      if (state && ['pending', 'sending', 'sent', 'unknown'].includes(state)) last = { send: id, state };
    }
    return last;
  }

  const steps: (() => Promise<unknown>)[] = [
    send,
    take,
    take,
    settle,
    settle,
    () => ledger.stop(pick(ids) ?? ''),
    () => ledger.resume(pick(ids) ?? ''),
    () => ledger.undo(ids.at(-1) ?? '', { by: 'U1', details: {}, keeps: null }),
    async () => {
      clock.advance(pick([10, 1000, 3000, 11_000, 30_000]));
      await ledger.recover();
    },
  ];
  for (let step = 0; step < STEPS; step += 1) {
    await pick(steps)();
    for (const hash of HASHES) {
      const said = await ledger.sameWords('T1', hash);
      expect(said && { send: said.send, state: said.state }).toEqual(await truth(hash));
      if (said) told += 1;
    }
  }
  return told;
}

test('in any order of events, the guard knows the outcome of the last text with the same words', async () => {
  let told = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) told += await play(createDice(seed * 7919));
  expect(told).toBeGreaterThan(HISTORIES);
});
