import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { Settlement } from '../../src/ledger/model/attempt-types.ts';
import { type SendDocument, sends } from '../../src/ledger/model/send-documents.ts';
import { countOf } from '../../src/ledger/model/tally.ts';
import { usageOf } from '../../src/ledger/rules/budget-usage.ts';
import { createSteps } from '../../src/store/steps.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { dumpable } from '../helpers/dump-store.ts';
import { expectWhole } from '../helpers/expect-whole.ts';
import {
  type Attempt,
  aJob,
  forJobs,
  handClock,
  LIMITS,
  neverStarted,
  REJECTED,
  sentFor,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** Jobs whose texts cost more than estimated, with random prices, limits, approvals and clicks. */

const HISTORIES = 100;
const STEPS = 80;
const MONTH = 'T1/C1/2026-01';

/** How often jobs paused, went on in time, had a Resume refused, or had their rest approved or priced. */
const seen = { paused: 0, unapproved: 0, wentOn: 0, refused: 0, approved: 0, priced: 0 };

async function play(dice: Dice) {
  const clock = handClock();
  const engine = dumpable(createMemoryEngine(clock.now));
  const ledger = createLedger(createSteps(engine), { ...LIMITS, permits: 1000 });
  const pick = <T>(list: readonly T[]): T => list[Math.floor(dice() * list.length)] as T;
  const ids = ['j0', 'j1', 'j2'];
  let open: Attempt[] = [];
  const late: Attempt[] = [];
  const taken = new Map<string, number>();
  /** For each job: the credits of its receipts, and how many messages those receipts are for. */
  const receipts = new Map(ids.map((id) => [id, { credits: 0, messages: 0 }]));
  const limit = Math.floor(between(dice, 40, 90));
  for (const id of ids) {
    const sizes = Array.from({ length: 4 }, () => 1 + Math.floor(dice() * 6));
    const credits = sizes.reduce((sum, size) => sum + size, 0);
    await ledger.draft(aJob(id, sizes));
    const periods = [{ id: MONTH, renewsAt: 0, limit, readers: [] }];
    const approved = dice() < 0.5 ? { approvedUpTo: credits + Math.floor(dice() * credits) } : {};
    const budget = { credits, perMessage: 1, periods, ...approved };
    await ledger.decide(id, { to: 'running', by: 'U1', budget });
  }

  async function documentOf(id: string): Promise<SendDocument> {
    const { documents } = await engine.dump();
    return documents.find((each) => each.collection === sends.name && each.id === id)?.value as SendDocument;
  }

  /** A job that goes on needs only its reserved credits, or fits into its month and its approval. */
  async function expectWithinLimit(id: string) {
    const send = await documentOf(id);
    const { used, held } = usageOf(send);
    const goesOn = send.record.state === 'running' && countOf(send.tally, 'pending').chunks > 0;
    if (!goesOn || used + held <= (send.budget?.credits ?? 0)) return;
    const [month] = await ledger.findPeriods([{ id: MONTH }]);
    expect(Number(month?.used) + Number(month?.held)).toBeLessThanOrEqual(Number(month?.limit));
    expect(used + held).toBeLessThanOrEqual(send.budget?.approvedUpTo ?? Number.POSITIVE_INFINITY);
    seen.wentOn += 1;
  }

  /** Adds up an answer that counted. A dearer job must hold its open messages at its receipts' price, to the credit. */
  async function expectPriced({ ref, chunk }: Attempt, answer: Settlement) {
    const said = receipts.get(ref.send) ?? { credits: 0, messages: 0 };
    if ('receipt' in answer) {
      said.credits += answer.receipt.creditsUsed;
      said.messages += chunk.messages.length;
    }
    const each = said.credits / said.messages;
    if (!(each > 1)) return;
    const send = await documentOf(ref.send);
    const states = ['pending', 'sending', 'unknown'] as const;
    const open = states.reduce((sum, state) => sum + countOf(send.tally, state).messages, 0);
    expect(usageOf(send)).toEqual({
      used: said.credits,
      held: Math.ceil((said.credits * open) / said.messages),
    });
    seen.priced += 1;
  }

  async function take() {
    const request = forJobs();
    const answer = await ledger.take(request);
    if (answer.kind !== 'taken') return;
    expect((await documentOf(answer.send.id)).record.state).toBe('running');
    open.push({ ref: answer.chunk, token: request.token, ...answer });
    const name = `${answer.send.id}/${answer.chunk.index}`;
    taken.set(name, (taken.get(name) ?? 0) + 1);
  }

  async function settle() {
    if (open.length === 0) return;
    const attempt = pick(open);
    const { ref, token, chunk } = attempt;
    open = open.filter((each) => each !== attempt);
    const size = chunk.messages.length;
    const dear: Settlement = sentFor(Math.floor(between(dice, size, 3 * size)));
    const answer = pick([sentFor(size), dear, dear, dear, dear, REJECTED, UNANSWERED, neverStarted()]);
    if (answer.to === 'unknown') late.push(attempt);
    if (answer.to === 'pending') taken.delete(`${ref.send}/${ref.index}`);
    const before = (await documentOf(ref.send)).record.state;
    const settled = await ledger.settle(ref, token, answer);
    if (settled.settled) await expectPriced(attempt, answer);
    const { record } = await documentOf(ref.send);
    if (before === 'paused') expect(record.state).not.toBe('running');
    if (settled.settled && record.pauseReason === 'over_month') seen.paused += 1;
    if (settled.settled && record.pauseReason === 'over_approval') seen.unapproved += 1;
    await expectWithinLimit(ref.send);
  }

  async function answerLate() {
    const attempt = late.pop();
    if (!attempt) return;
    const { ref, token, chunk } = attempt;
    const before = (await documentOf(ref.send)).record.state;
    const answer = sentFor(3 * chunk.messages.length);
    if ((await ledger.settle(ref, token, answer)).settled) await expectPriced(attempt, answer);
    if (before === 'paused') expect((await documentOf(ref.send)).record.state).not.toBe('running');
    await expectWithinLimit(ref.send);
  }

  async function resume() {
    const id = pick(ids);
    const upTo = Math.floor(between(dice, 10, 150));
    const approval = dice() < 0.5 ? { upTo, details: { approvedBy: 'U2' } } : undefined;
    const limits = { month: pick([limit, limit, 2 * limit]) };
    const answer = await ledger.resume(id, {}, { limits, approval });
    if (answer.won) {
      await expectWithinLimit(id);
      const { record, budget } = await documentOf(id);
      if (approval && budget?.approvedUpTo === upTo) {
        expect(record.details).toMatchObject({ approvedBy: 'U2' });
        seen.approved += 1;
      }
    } else if (answer.over) {
      seen.refused += 1;
      const { asked } = answer.over;
      if ('left' in answer.over) expect(asked).toBeGreaterThan(answer.over.left);
      else {
        if (approval) expect(answer.over.approvedUpTo).toBe(upTo);
        expect(asked).toBeGreaterThan(answer.over.approvedUpTo);
      }
      expect((await documentOf(id)).record.state).toBe('paused');
    }
  }

  const steps = [take, take, take, settle, settle, answerLate, resume];
  for (let step = 0; step < STEPS; step += 1) {
    await pick(steps)();
    clock.advance(pick([0, 1000]));
    expectWhole(await engine.dump());
  }
  // The bots sent no chunk twice. At the end, the budget holds credits only for open messages.
  for (const times of taken.values()) expect(times).toBe(1);
  for (const id of ids) await ledger.stop(id);
  while (open.length > 0) await settle();
  for (const { send, chunk } of await ledger.unknowns()) {
    await ledger.saySent({ send: send.id, indexes: [chunk.index] }, 'U2');
  }
  expectWhole(await engine.dump());
  expect((await ledger.findPeriods([{ id: MONTH }]))[0]).toMatchObject({ held: 0 });
}

test('whatever texts cost, a job that goes on needs only what was reserved, or fits, and no text is sent twice', async () => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) await play(createDice(seed));
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
});
