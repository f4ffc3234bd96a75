import { expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import { DAY_MS, dayOf } from '../../src/ledger/model/days.ts';
import { createSteps } from '../../src/store/steps.ts';
import { between, createDice, type Dice } from '../helpers/dice.ts';
import { aSingle, confirmed, handClock, LIMITS, sentFor, taken } from '../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../helpers/memory-engine.ts';

/** Somebody moves the store's clock back and forward by days, while people send, spend and top up. */

const HISTORIES = 40;
const STEPS = 40;

async function play(dice: Dice): Promise<void> {
  const clock = handClock(Date.UTC(2026, 0, 20, 9));
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), { ...LIMITS, permits: 10_000 });
  let balance = 10_000;
  let ids = 0;
  const read = async () => ledger.recordBalance(await ledger.markBalanceRead('a1'), balance);

  async function send(): Promise<void> {
    ids += 1;
    const cost = Math.floor(between(dice, 0, 5));
    await confirmed(ledger, aSingle(`s${ids}`));
    const { ref, token } = await taken(ledger);
    balance -= cost;
    await ledger.settle(ref, token, sentFor(cost, balance));
  }

  const steps = [
    send,
    send,
    send,
    read,
    async () => {
      balance += Math.floor(between(dice, -20, 20));
      await read();
    },
    async () => clock.advance(Math.floor(between(dice, 0, DAY_MS))),
    async () => {
      clock.advance(Math.floor(between(dice, -3 * DAY_MS, 3 * DAY_MS)));
      if (dice() < 0.5) balance -= Math.floor(between(dice, 0, 5));
    },
  ];

  const days = new Set<number>();
  await read();
  for (let step = 0; step < STEPS; step += 1) {
    await (steps[Math.floor(dice() * steps.length)] ?? send)();
    days.add(dayOf(clock.now()));
    await read();
    await expectAddsUp(Math.min(...days) - 1, Math.max(...days) + 1);
  }

  async function expectAddsUp(first: number, last: number): Promise<void> {
    for (let from = first; from <= last; from += 1) {
      for (let to = from; to <= last; to += 1) {
        const statement = await ledger.accountStatement('a1', { from, to });
        if (!statement) throw new Error('there is no statement');
        const { books, spending } = statement;
        const receipts = spending.reduce((sum, { credits }) => sum + credits, 0);
        const differences = books.days.flatMap((day) => day.differences);
        const rest = differences.reduce((sum, { credits }) => sum + credits, 0);
        for (const { from: begun, to: ended } of differences) expect(begun).toBeLessThanOrEqual(ended);
        const at = `days ${from - first} to ${to - first} of ${last - first}`;
        expect(books.opening - receipts + rest, at).toBe(books.closing);
        if (to === last) expect(books.closing, at).toBe(balance);
      }
    }
  }
}

test('however the clock is set, the statement of any days adds up, and the last day ends with the balance', async () => {
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    await play(createDice(seed)).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error });
    });
  }
});
