import { expect, test } from 'vitest';
import { remains } from '../../src/core/history/remains.ts';
import { COLLECTIONS } from '../../src/ledger/collections.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { addressOf, type Collection } from '../../src/store/collection.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Engine } from '../../src/store/store.ts';
import { damageDocument } from '../helpers/damage-document.ts';
import { createDice, type Dice } from '../helpers/dice.ts';
import {
  aJob,
  aSingle,
  confirmed,
  forJobs,
  forSingles,
  type HandClock,
  handClock,
  LIMITS,
  NOT_SENT,
  REJECTED,
  SENT,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';
import { hashOf } from './ledger.contract.numbers.ts';

/** The store loses or damages one document of a ledger that is in use: nothing fails for ever, nothing is taken twice. */

const HISTORIES = 250;
const SENDS = ['s0', 's1', 's2', 's3'];
const DAY_MS = 86_400_000;

/** Sends under way, some with unknown texts. Resolves with the chunks that were taken. */
async function begin(ledger: Ledger, clock: HandClock, dice: Dice): Promise<Set<string>> {
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), 100);
  for (const id of SENDS) {
    const over = { account: 'a1', topics: ['receipt'] };
    const send = dice() < 0.5 ? aJob(id, [2, 2, 2], over) : aSingle(id, over);
    if (dice() < 0.9) await confirmed(ledger, send);
    else await ledger.draft(send);
  }
  const taken = new Set<string>();
  for (let i = 0; i < 8; i += 1) {
    const request = dice() < 0.5 ? forJobs() : forSingles();
    const found = await ledger.take(request);
    clock.advance(10);
    if (found.kind !== 'taken') continue;
    taken.add(`${found.send.id}/${found.chunk.index}`);
    const settlement = [SENT, UNANSWERED, NOT_SENT, REJECTED][Math.floor(dice() * 5)];
    if (settlement) await ledger.settle(found.chunk, request.token, settlement);
  }
  return taken;
}

/** Spoils a document of an engine; returns its name. */
type Spoil = (engine: Engine, dice: Dice) => Promise<string>;

async function oneOf(engine: Engine, collections: readonly Collection<never>[], dice: Dice) {
  const all: { of: Collection<never>; id: string }[] = [];
  for (const of of collections) {
    for await (const page of engine.documents(of.name)) all.push(...page.map(({ id }) => ({ of, id })));
  }
  const found = all[Math.floor(dice() * all.length)];
  if (!found) throw new Error('there is nothing to spoil');
  return found;
}

const lose: Spoil = async (engine, dice) => {
  const { of, id } = await oneOf(engine, COLLECTIONS, dice);
  await createSteps(engine).run((view) => {
    view.get(of, id);
    view.delete(of, id);
  });
  return `without ${of.name} ${id}`;
};

const damage: Spoil = async (engine, dice) => {
  const { of, id } = await oneOf(engine, COLLECTIONS, dice);
  await damageDocument(engine, addressOf(of, id));
  return `with a damaged ${of.name} ${id}`;
};

/** Repeats a step until it does nothing more. That must not take for ever. */
async function untilDone(step: () => Promise<number | boolean>): Promise<void> {
  for (let times = 0; await step(); times += 1) expect(times).toBeLessThan(50);
}

/** A bot's own work, and the reads that people ask for. */
async function work(ledger: Ledger, clock: HandClock, takenBefore: Set<string>): Promise<void> {
  await ledger.pendingWork();
  for (const request of [forJobs, forSingles, forJobs, forSingles].map((make) => make())) {
    const found = await ledger.take(request);
    if (found.kind !== 'taken') continue;
    expect(takenBefore).not.toContain(`${found.send.id}/${found.chunk.index}`);
    await ledger.settle(found.chunk, request.token, SENT);
  }
  clock.advance(40_000);
  await ledger.recover();
  for (const id of SENDS) {
    await ledger.chunks(id);
    await ledger.tally(id);
  }
  await ledger.unknowns('T1');
  await ledger.undecided({ team: 'T1', kind: 'job', limit: 10 });
  await ledger.history({ team: 'T1', limit: 10 });
  const found = await ledger.evidenceCase('a1');
  const evidence = found?.unknowns.map((ref) => ({ ref, evidence: { verdict: 'none' }, charge: 1 })) ?? [];
  if (found) await ledger.recordEvidence(await ledger.markBalanceRead('a1'), 90, evidence);
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), 80);
  await ledger.accountStatement('a1', { from: 0, to: 100_000 });
  await untilDone(() => ledger.listNumbers(hashOf));
}

async function play(dice: Dice, spoil: Spoil): Promise<void> {
  const clock = handClock();
  const engine = createMemoryEngine(clock.now);
  const boot = () => createLedger(createSteps(engine), { ...LIMITS, permits: 1000 });
  const taken = await begin(boot(), clock, dice);
  const spoilt = await spoil(engine, dice);
  try {
    const ledger = boot();
    for (let round = 0; round < 3; round += 1) await work(ledger, clock, taken);
    // The account is idle, and its books go on.
    expect((await ledger.markBalanceRead('a1')).idle).toBe(true);
    expect(await ledger.evidenceCase('a1')).toBeUndefined();
    expect((await ledger.recordBalance(await ledger.markBalanceRead('a1'), 70)).account.booked).toBe(70);
    for (const id of SENDS) {
      const { pending, sending } = (await ledger.tally(id)).states;
      const isOpen = pending.chunks + sending.chunks > 0;
      if (!isOpen) expect((await ledger.find(id))?.state).not.toBe('running');
      await ledger.stop(id);
    }
    clock.advance(200 * DAY_MS);
    await ledger.recover();
    await untilDone(() => ledger.forgetEnded({ team: 'T1', endedBefore: clock.now(), remains }));
    await untilDone(() => ledger.forgetUndecided(clock.now(), remains));
    await untilDone(() => ledger.deleteForgotten(clock.now()));
  } catch (error) {
    throw new Error(spoilt, { cause: error });
  }
}

test.each([
  ['document the store loses', lose],
  ['document the store damages', damage],
])('whichever %s, nothing fails or waits for ever, and nothing is taken twice', async (_what, spoil) => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    await play(createDice(seed), spoil).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
});
