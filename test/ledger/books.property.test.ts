import { expect, test } from 'vitest';
import type { BalanceMarker } from '../../src/ledger/accounts/account-types.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { FoundEvidence } from '../../src/ledger/unknowns/evidence.ts';
import { createSteps } from '../../src/store/steps.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import {
  type Attempt,
  aJob,
  aSingle,
  confirmed,
  forJobs,
  forSingles,
  handClock,
  LIMITS,
  REJECTED,
  sentFor,
  UNANSWERED,
} from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** Several bots read one balance while they send, others spend and somebody tops up, in any order. */

const HISTORIES = 150;
const STEPS = 120;

interface Sending {
  attempt: Attempt;
  cost: number;
  /** The balance in the answer, once the service has charged; and how often the balance had changed by then. */
  left?: number;
  version?: number;
}

interface Read {
  marker: BalanceMarker;
  figure?: number;
  /** How often the balance had changed when the service read it. */
  version: number;
}

/** A bot has looked for evidence, and has not written it yet. */
interface Look extends Required<Read> {
  evidence: FoundEvidence[];
}

async function play(dice: Dice, { topsUp, loses }: { topsUp: boolean; loses: boolean }) {
  const clock = handClock();
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), { ...LIMITS, permits: 1000 });
  let balance = 10_000;
  let [elsewhere, toppedUp, ids] = [0, 0, 0];
  let sendings: Sending[] = [];
  let late: Sending[] = [];
  let reads: Read[] = [];
  let looks: Look[] = [];
  /** How often the balance has changed: now, and when the service read the books' figure. */
  let [version, known] = [0, 0];
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(dice() * list.length)];

  async function begin() {
    ids += 1;
    const isJob = dice() < 0.5;
    await confirmed(ledger, isJob ? aJob(`s${ids}`, [1 + Math.floor(dice() * 3)]) : aSingle(`s${ids}`));
    const request = isJob ? forJobs() : forSingles();
    const answer = await ledger.take(request);
    if (answer.kind !== 'taken') return;
    const attempt = {
      ref: { send: answer.send.id, index: answer.chunk.index },
      token: request.token,
      ...answer,
    };
    sendings.push({ attempt, cost: Math.floor(between(dice, 0, 4)) });
  }

  function charge() {
    const one = pick(sendings.filter(({ left }) => left === undefined));
    if (!one) return;
    balance -= one.cost;
    version += 1;
    Object.assign(one, { left: balance, version });
  }

  async function answer() {
    const one = pick(sendings);
    if (!one) return;
    sendings = sendings.filter((other) => other !== one);
    const { attempt, cost, left } = one;
    const isLost = loses && dice() < 0.3;
    if (isLost) late.push(one);
    await ledger.settle(
      attempt.ref,
      attempt.token,
      isLost ? UNANSWERED : left === undefined ? REJECTED : sentFor(cost, left),
    );
  }

  async function answerLate() {
    const one = pick(late);
    if (!one) return;
    late = late.filter((other) => other !== one);
    clock.advance(1);
    const { attempt, cost, left, version: charged = 0 } = one;
    await ledger.settle(attempt.ref, attempt.token, left === undefined ? REJECTED : sentFor(cost, left));
    const after = await ledger.account('a1');
    if (left !== undefined && after?.asOf === clock.now()) expect(charged).toBeGreaterThanOrEqual(known);
  }

  async function ask() {
    reads.push({ marker: await ledger.markBalanceRead('a1'), version });
  }

  function read() {
    const one = pick(reads.filter(({ figure }) => figure === undefined));
    if (one) Object.assign(one, { figure: balance, version });
  }

  async function record() {
    const one = pick(reads.filter(({ figure }) => figure !== undefined));
    if (!one) return;
    reads = reads.filter((other) => other !== one);
    const before = await ledger.account('a1');
    await ledger.recordBalance(one.marker, one.figure as number);
    const after = await ledger.account('a1');
    // The books take no figure older than their first.
    if (after?.asOf === clock.now()) expect(one.version).toBeGreaterThanOrEqual(known);
    if (after?.baselineAt !== before?.baselineAt) known = one.version;
  }

  async function look() {
    clock.advance(40_000);
    const marker = await ledger.markBalanceRead('a1');
    const found = await ledger.evidenceCase('a1');
    if (!found || !marker.idle) return;
    const evidence = found.unknowns.map(({ send, index }) => {
      const one = late.find(({ attempt: { ref } }) => ref.send === send && ref.index === index);
      const was = one?.left === undefined ? 0 : one.cost;
      return { ref: { send, index }, evidence: 'seen', ...(dice() < 0.7 && { charge: was }) };
    });
    await ledger.recordBalance(marker, balance);
    looks.push({ marker, figure: balance, version, evidence });
  }

  async function judge() {
    const one = pick(looks);
    if (!one) return;
    looks = looks.filter((other) => other !== one);
    clock.advance(1);
    const { marker, figure, evidence } = one;
    if (!(await ledger.recordEvidence(marker, figure, evidence))) return;
    expect(one.version).toBeGreaterThanOrEqual(known);
    known = one.version;
  }

  const steps = [
    begin,
    begin,
    charge,
    charge,
    answer,
    answer,
    answer,
    ask,
    read,
    record,
    look,
    look,
    judge,
    judge,
    answerLate,
    () => {
      clock.advance(Math.floor(between(dice, 1, 3_600_000)));
    },
    () => {
      if (dice() > 0.3) return;
      const credits = Math.floor(between(dice, 1, 20));
      balance -= credits;
      elsewhere += credits;
      version += 1;
    },
    () => {
      if (!topsUp || dice() > 0.2) return;
      const credits = Math.floor(between(dice, 1, 500));
      balance += credits;
      toppedUp += credits;
      version += 1;
    },
  ];
  await ledger.recordBalance(await ledger.markBalanceRead('a1'), balance);
  for (let i = 0; i < STEPS; i += 1) {
    clock.advance(1);
    await (pick(steps) ?? begin)();
  }
  // All requests end. Then the bots read the balance twice more.
  while (sendings.length > 0) {
    charge();
    await answer();
  }
  clock.advance(40_000);
  await ledger.recover();
  while (reads.length > 0) {
    read();
    clock.advance(1);
    await record();
  }
  const answersAll = dice() < 0.5;
  while (answersAll && late.length > 0) await answerLate();
  for (let i = 0; i < 2; i += 1) {
    await look();
    while (looks.length > 0) await judge();
    clock.advance(1000);
    await ledger.recordBalance(await ledger.markBalanceRead('a1'), balance);
  }
  expect(await ledger.account('a1')).toMatchObject({
    credits: balance,
    booked: balance,
  });
  const statement = await ledger.accountStatement('a1', { from: 0, to: 100_000 });
  if (!statement) throw new Error('there is no statement');
  const { books, spending } = statement;
  const differences = books.days.flatMap((day) => day.differences);
  const of = (kind: string) =>
    differences.filter((each) => each.kind === kind).reduce((sum, { credits }) => sum + credits, 0);
  const receipts = spending.reduce((sum, { credits }) => sum + credits, 0);
  const all = differences.reduce((sum, { credits }) => sum + credits, 0);
  expect(books.closing).toBe(balance);
  expect(books.opening - receipts + all).toBe(books.closing);
  if (!loses) expect(of('elsewhere') + of('topped_up')).toBe(toppedUp - elsewhere);
  if (!loses && !topsUp) expect(of('elsewhere') + elsewhere).toBe(0);
  // No text is unknown any more, so unknown texts took no credits.
  if (answersAll) expect(of('unknown')).toBe(0);
}

test.each([
  ['receipts and others', { topsUp: false, loses: false }],
  ['top-ups, too', { topsUp: true, loses: false }],
  ['lost and late answers, too', { topsUp: true, loses: true }],
])(
  'whatever happens in whatever order, the books end with the balance, and name where credits went: %s',
  async (_, how) => {
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      await play(createDice(seed), how).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  },
);
