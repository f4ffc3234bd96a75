import { expect, test } from 'vitest';
import { remains } from '../../src/core/history/remains.ts';
import { COLLECTIONS } from '../../src/ledger/collections.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Settlement, TakeRequest } from '../../src/ledger/model/attempt-types.ts';
import type { ChunkRecord } from '../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';
import { hasEnded } from '../../src/ledger/model/send-states.ts';
import { addressOf } from '../../src/store/collection.ts';
import { createSteps } from '../../src/store/steps.ts';
import type { Engine } from '../../src/store/store.ts';
import { damageDocument } from '../helpers/damage-document.ts';
import { createDice, type Dice } from '../helpers/dice.ts';
import { eachEngine } from '../helpers/each-engine.ts';
import {
  aJob,
  aSingle,
  forJobs,
  forSingles,
  freshToken,
  type HandClock,
  handClock,
  LIMITS,
  NOT_SENT,
  neverStarted,
  REJECTED,
  sentFor,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { asking, month } from './ledger.contract.budgets.ts';
import { hashOf } from './ledger.contract.numbers.ts';

/** The store damages documents at random moments of a running history, several times. Bots start again now and then. */

const STEPS = 60;
const DAY_MS = 86_400_000;
const pick = <T>(dice: Dice, all: readonly T[]): T => all[Math.floor(dice() * all.length)] as T;

interface Open {
  request: TakeRequest;
  send: SendRecord;
  chunk: ChunkRecord;
}

/** A history on one store, and what it has seen. */
function createHistory(engine: Engine, clock: HandClock, dice: Dice) {
  const boot = () => createLedger(createSteps(engine, 20_000), { ...LIMITS, permits: 1000 });
  let ledger: Ledger = boot();
  let sends = 0;
  const open: Open[] = [];
  /** Chunks whose request began: nobody may take them again. */
  const requested = new Set<string>();
  /** Rows that became due once, and that somebody has posted: nobody may post them again. */
  const posted = new Set<string>();
  const answered: [Open, Settlement][] = [];
  /** Credits by the answers, by the send's id. */
  const charged = new Map<string, number>();
  const said: string[] = [];

  async function decide(): Promise<void> {
    sends += 1;
    const id = `s${sends}`;
    const over = { account: 'a1', topics: ['receipt'] };
    const send = dice() < 0.5 ? aJob(id, [2, 2, 2], over) : aSingle(id, over);
    await ledger.draft(send);
    const words = send.kind === 'single' ? { words: { hash: `h${sends % 3}`, repeatGuardMs: 60_000 } } : {};
    const budget = asking(6, month(dice() < 0.5 ? 60 : undefined));
    const once = { key: `click ${id}`, ttlMs: 1000 };
    await ledger.decide(id, { to: 'running', by: 'U1', budget, once, ...words });
  }

  async function take(): Promise<void> {
    const request = dice() < 0.5 ? forJobs() : forSingles();
    const found = await ledger.take(request);
    if (found.kind !== 'taken') return;
    const { chunk, send } = found;
    const name = `${send.id}/${chunk.index}`;
    expect(requested).not.toContain(name);
    if (send.kind === 'job') {
      const words = chunk.messages.map((_, at) => ({ hash: `h${at}`, repeatGuardMs: 60_000 }));
      await ledger.claimChunk(send, { index: chunk.index, token: request.token, words });
    }
    if (dice() < 0.2) {
      await settle({ request, chunk, send }, neverStarted());
      return;
    }
    requested.add(name);
    open.push({ request, chunk, send });
  }

  async function settle({ request, chunk, send }: Open, settlement: Settlement, isRepeated = false) {
    const { rateLimitKey, account, token } = request;
    const made = { rateLimitKey, account, attempt: chunk.attempt, send, isRepeated };
    if (!isRepeated) {
      answered.push([{ request, chunk, send }, settlement]);
      const { creditsUsed = 0 } = 'receipt' in settlement ? settlement.receipt : {};
      charged.set(send.id, (charged.get(send.id) ?? 0) + creditsUsed);
    }
    await ledger.settle(chunk, token, settlement, made);
  }

  /** After a reconnect, a bot writes its last answers again. */
  async function writeAgain(): Promise<void> {
    for (const [one, settlement] of answered.slice(-6)) await settle(one, settlement, true);
  }

  async function answer(): Promise<void> {
    const [one] = open.splice(Math.floor(dice() * open.length), 1);
    // One answer in six is lost.
    if (one && dice() < 0.85)
      await settle(one, pick(dice, [sentFor(), sentFor(2), UNANSWERED, NOT_SENT, REJECTED]));
  }

  async function post(): Promise<void> {
    const token = freshToken();
    const row = await ledger.takeDue(token, 10_000);
    if (!row) return;
    if (row.topic === 'news') {
      expect(posted).not.toContain(row.id);
      posted.add(row.id);
    }
    await ledger.markPosted(row.id, token, dice() < 0.5 ? null : { ts: '1' });
  }

  async function look(): Promise<void> {
    await ledger.pendingWork();
    await ledger.backlog();
    await ledger.history({ team: 'T1', limit: 10 });
    await ledger.unknowns('T1');
    await ledger.findPeriods([{ id: 'T1/C1/2026-01' }]);
    await ledger.accountStatement('a1', { from: 0, to: 100_000 });
    await ledger.spentSince('T1', 'C1', 0);
    await ledger.heldBackLately('T1', 'C1');
    await ledger.listOptOuts('T1', { limit: 5 });
    await ledger.nextDueAt();
  }

  async function optOut(): Promise<void> {
    const [hash, to] = [`n${Math.floor(dice() * 3)}`, pick(dice, ['out', 'in'] as const)];
    const cause = { by: 'U1', via: 'command' } as const;
    await ledger.changeOptOuts({ team: 'T1', to, cause, entries: [{ hash, sealed: 'x' }] });
    expect((await ledger.whichOptedOut('T1', [hash])).size).toBe(to === 'out' ? 1 : 0);
  }

  async function balance(): Promise<void> {
    const found = await ledger.evidenceCase('a1');
    const marker = await ledger.markBalanceRead('a1');
    const evidence = found?.unknowns.map((ref) => ({ ref, evidence: { verdict: 'none' }, charge: 1 })) ?? [];
    if (found) await ledger.recordEvidence(marker, 90, evidence);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), 90);
  }

  async function change(): Promise<void> {
    const name = pick(dice, ['credit:C1', 'key:T1']);
    const before = await ledger.namedState(name);
    const announcements = [{ id: `news:${freshToken()}`, topic: 'news', subject: 's', details: null }];
    const over = {
      from: before?.state,
      to: pick(dice, ['low', 'armed']),
      details: null,
      isOver: dice() < 0.5,
    };
    expect(await ledger.changeState(name, { ...over, announcements })).toBe(true);
  }

  async function home(): Promise<void> {
    await ledger.openHome({ team: 'T1', user: 'U1' });
    await ledger.takeDueHomes();
    await ledger.noteHome({ team: 'T1', user: 'U1' }, { digest: 'd', hash: 'h' });
  }

  async function person(): Promise<void> {
    const id = `s${1 + Math.floor(dice() * sends)}`;
    const chunk = pick(dice, [0, 1, 2]);
    const act = pick(dice, ['stop', 'pause', 'resume', 'say', 'undo'] as const);
    if (act === 'stop') await ledger.stop(id);
    if (act === 'pause') await ledger.pause(id, 'person');
    if (act === 'resume') await ledger.resume(id);
    if (act === 'say') await ledger.saySent({ send: id, indexes: [chunk] }, 'U1');
    if (act === 'undo') await ledger.undo(id, { by: 'U1', details: {}, keeps: null });
  }

  async function damage(): Promise<void> {
    const of = pick(dice, COLLECTIONS);
    const ids: string[] = [];
    for await (const page of engine.documents(of.name)) ids.push(...page.map(({ id }) => id));
    if (ids.length === 0) return;
    const id = pick(dice, ids);
    await damageDocument(engine, addressOf(of, id), freshToken());
    said.push(`damaged ${of.name} ${id}`);
    if (dice() < 0.5) ledger = boot();
  }

  async function wait(): Promise<void> {
    clock.advance(pick(dice, [1, 1000, 40_000]));
    await ledger.recover();
  }

  async function retain(): Promise<void> {
    await untilDone(() => ledger.listNumbers(hashOf));
    const before = clock.now() - 10_000;
    await untilDone(() => ledger.forgetEnded({ team: 'T1', endedBefore: before, remains }));
    await untilDone(() => ledger.forgetUndecided(before, remains));
    await untilDone(() => ledger.deleteForgotten(before));
    await untilDone(() => ledger.deleteDamaged(before, 'T1'));
    await untilDone(() => ledger.deleteDamaged(before));
    await untilDone(() => ledger.deleteOver('rows', before));
    await untilDone(() => ledger.deleteOver('states', before));
    await untilDone(() => ledger.deleteOver('budgets', before));
    await untilDone(() => ledger.deleteOver('optIns', before));
    await untilDone(() => ledger.deleteOldEntries(before, before));
  }

  const usual = [decide, decide, take, take, take, answer, answer, answer, post, post];
  const others = [writeAgain, look, optOut, balance, change, home, person, damage, damage, wait, retain];

  return {
    said,
    async play(): Promise<void> {
      await decide();
      for (let at = 0; at < STEPS; at += 1) {
        const act = pick(dice, dice() < 0.7 ? usual : others);
        said.push(act.name);
        await act();
      }
    },
    /** Everything comes to its end. */
    async end(): Promise<void> {
      ledger = boot();
      while (open.length > 0) await answer();
      for (let round = 0; round < 12; round += 1) {
        await take();
        while (open.length > 0) await answer();
      }
      for (const id of await ids()) await ledger.stop(id);
      clock.advance(2 * DAY_MS);
      await ledger.recover();
      for (const id of await ids()) {
        const send = await ledger.find(id);
        const { creditsUsed, states } = await ledger.tally(id);
        expect([id, creditsUsed]).toEqual([id, Math.min(creditsUsed, charged.get(id) ?? 0)]);
        const { pending, sending } = states;
        expect([id, pending.chunks + sending.chunks]).toEqual([id, 0]);
        if (send?.decidedAt !== undefined && send.undoneBy === undefined)
          expect([id, hasEnded(send)]).toEqual([id, true]);
      }
      for (let left = 200; (await ledger.nextDueAt()) !== undefined; left -= 1) {
        expect(left).toBeGreaterThan(0);
        await post();
      }
      await balance();
      await balance();
      expect(await ledger.evidenceCase('a1')).toBeUndefined();
      expect((await ledger.markBalanceRead('a1')).idle).toBe(true);
      await look();
      clock.advance(800 * DAY_MS);
      await ledger.recover();
      await retain();
      await look();
    },
  };

  async function ids(): Promise<string[]> {
    const found = await Promise.all(
      Array.from({ length: sends }, async (_, at) =>
        (await ledger.find(`s${at + 1}`)) ? [`s${at + 1}`] : [],
      ),
    );
    return found.flat();
  }
}

/** Repeats a step until it does nothing more. That must not take for ever. */
async function untilDone(step: () => Promise<number | boolean>): Promise<void> {
  for (let times = 0; await step(); times += 1) expect(times).toBeLessThan(100);
}

const HISTORIES = 30;

eachEngine((open) => {
  test('whatever the store damages, nothing fails or waits for ever, and nothing is taken or charged twice', async () => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const clock = handClock();
      const history = createHistory(await open(clock), clock, createDice(seed));
      try {
        await history.play();
        await history.end();
      } catch (error) {
        throw new Error(`seed ${seed}: ${history.said.join(', ')}`, { cause: error });
      }
    }
  });
});
