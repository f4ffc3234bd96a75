import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import type { PeriodAsked } from '../../src/ledger/model/budget-types.ts';
import { createSteps } from '../../src/store/steps.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
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
  sentFor,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

const HISTORIES = 40;
const STEPS = 60;
const LIMIT = 60;

/** A person, a channel and a day; sometimes another day. */
function periodsOf(dice: Dice): PeriodAsked[] {
  const renewsAt = Date.UTC(2026, 1, 1);
  const day = dice() < 0.8 ? '2026-01-05' : '2026-01-06';
  return [
    { id: 'T1/C1/2026-01', renewsAt, limit: LIMIT, readers: ['C1'] },
    { id: `T1/C1/${day}/U1`, renewsAt, person: 'U1', readers: ['U1'] },
  ];
}

/** A random history. After every step, the store must obey its rules. */
async function play(dice: Dice) {
  const clock = handClock();
  const engine = dumpable(createMemoryEngine(clock.now));
  const ledger = createLedger(createSteps(engine), {
    ...LIMITS,
    permits: 1000,
    leaseMs: 1000,
    timeoutMs: 500,
  });
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(dice() * list.length)];
  const ids: string[] = [];
  const attempts: Attempt[] = [];
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), 1000);

  async function send(resends?: { send: string; indexes: number[] }) {
    const id = `s${ids.length}`;
    ids.push(id);
    const sizes = Array.from({ length: 1 + Math.floor(dice() * 4) }, () => 1 + Math.floor(dice() * 3));
    const isSingle = dice() < 0.4;
    const messages = isSingle ? 1 : sizes.reduce((sum, size) => sum + size, 0);
    const perMessage = pick([1, 1, 2, 1.5]) ?? 1;
    const over = resends ? { resends } : {};
    await ledger.draft(isSingle ? aSingle(id, over) : aJob(id, sizes, over));
    const budget = { credits: Math.ceil(messages * perMessage), perMessage, periods: periodsOf(dice) };
    const isAsked = dice() < 0.2;
    if (isAsked)
      await ledger.decide(id, { to: 'awaiting_approval', by: 'U1', approval: { topic: 'request' } });
    const decided = await ledger.decide(id, {
      to: 'running',
      by: isAsked ? 'U2' : 'U1',
      budget,
      ...(isAsked && { approval: dice() < 0.5 ? { exceptBudget: true } : {} }),
      ...(dice() < 0.5 && { startsInMs: 5000 }),
    });
    if (!decided.won && decided.why === 'over_budget') {
      expect(decided.over.left).toBeLessThan(budget.credits);
    }
  }

  async function take() {
    const request = dice() < 0.5 ? forSingles() : forJobs();
    const taken = await ledger.take(request);
    if (taken.kind === 'taken') attempts.push({ ref: taken.chunk, token: request.token, ...taken });
    if (taken.kind === 'unattended') await ledger.pause(taken.send.id, 'away');
  }

  async function settle() {
    const attempt = pick(attempts);
    if (!attempt) return;
    const { messages } = attempt.chunk;
    const cost = Math.floor(between(dice, 0, 2.5 * messages.length));
    const answers: Settlement[] = [
      sentFor(cost),
      sentFor(messages.length),
      REJECTED,
      NOT_SENT,
      UNANSWERED,
      UNANSWERED,
      neverStarted(),
      ...(messages.length > 1
        ? [
            halved(messages),
            resolvedPerMessage(
              [aPart('sent', messages.slice(1)), aPart('unknown', messages.slice(0, 1))],
              cost,
            ),
          ]
        : []),
    ];
    await ledger.settle(attempt.ref, attempt.token, pick(answers) as Settlement);
  }

  async function someUnknown() {
    const chunks = (await Promise.all(ids.map((id) => ledger.chunks(id, { state: 'unknown' })))).flat();
    const chunk = pick(chunks);
    return chunk && { send: chunk.send, indexes: [chunk.index] };
  }

  async function judge() {
    clock.advance(1000);
    const marker = await ledger.markBalanceRead('a1');
    const found = await ledger.evidenceCase('a1');
    await ledger.recordEvidence(
      marker,
      1000,
      (found?.unknowns ?? []).map(({ send: id, index }) => ({
        ref: { send: id, index },
        evidence: 'seen',
        ...(dice() < 0.7 && { charge: Math.floor(between(dice, 0, 3)) }),
      })),
    );
  }

  const steps: (() => Promise<unknown>)[] = [
    () => send(),
    () => send(),
    take,
    take,
    take,
    settle,
    settle,
    settle,
    async () => ledger.stop(pick(ids) ?? ''),
    async () => ledger.resume(pick(ids) ?? ''),
    async () => ledger.undo(pick(ids) ?? '', { by: 'U1', details: {}, keeps: null }),
    async () => ledger.undo(ids.at(-1) ?? '', { by: 'U1', details: {}, keeps: null }),
    async () => {
      const remains = { details: () => null, result: () => null, evidence: null };
      const endedBefore = clock.now() - (pick([0, 10_000]) ?? 0);
      await ledger.listNumbers((team, phone) => `${team}${phone}`.slice(-8).padStart(8, '0'));
      await ledger.forgetEnded({ team: 'T1', endedBefore, remains });
    },
    async () => {
      const unknown = await someUnknown();
      if (unknown) await ledger.saySent(unknown, 'U2');
    },
    async () => {
      const unknown = await someUnknown();
      if (unknown) await send(unknown);
    },
    judge,
    async () => {
      clock.advance(pick([10, 1000, 11_000, 11_000, 86_400_000]) ?? 0);
      await ledger.recover();
    },
  ];
  for (let step = 0; step < STEPS; step += 1) {
    await (pick(steps) ?? take)();
    expectWhole(await engine.dump());
  }

  for (const id of ids) await ledger.stop(id);
  clock.advance(11_000);
  await ledger.recover();
  for (const { send: sent, chunk } of await ledger.unknowns()) {
    await ledger.saySent({ send: sent.id, indexes: [chunk.index] }, 'U2');
  }
  expectWhole(await engine.dump());
  const periods = await ledger.findPeriods([
    { id: 'T1/C1/2026-01' },
    { id: 'T1/C1/2026-01-05/U1' },
    { id: 'T1/C1/2026-01-06/U1' },
  ]);
  return periods.filter((period) => period !== undefined);
}

test('in any order of events, periods count what sends have used and hold, and hold nothing in the end', async () => {
  let used = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const periods = await play(createDice(seed));
    for (const { held } of periods) expect(held).toBe(0);
    used += periods.reduce((sum, period) => sum + period.used, 0);
  }
  expect(used).toBeGreaterThan(0);
});
