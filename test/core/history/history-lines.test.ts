import { expect, test } from 'vitest';
import { historyLines } from '../../../src/core/history/history-lines.ts';
import { historyPage } from '../../../src/core/history/history-pages.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { ANA } from '../../helpers/core-people.ts';
import {
  aJob,
  aSingle,
  confirmed,
  handClock,
  inFlight,
  LIMITS,
  SENT,
} from '../../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../../helpers/memory-engine.ts';

test('100,000 lines come in small batches, each once, and pages are answered all along', async () => {
  const clock = handClock();
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), LIMITS);
  for (let job = 0; job < 9; job += 1) {
    await confirmed(ledger, aJob(`job-${job}`, Array(110).fill(100)));
    clock.advance(1);
  }
  for (let single = 0; single < 1000; single += 1) {
    await confirmed(ledger, aSingle(`single-${single}`));
    clock.advance(1);
  }
  const asked = { channel: 'C1', filter: {}, person: ANA };
  let isDone = false;
  let pages = 0;
  async function askForPages(): Promise<void> {
    while (!isDone) {
      expect((await historyPage(ledger, asked)).rows).toHaveLength(10);
      pages += 1;
      await new Promise(setImmediate);
    }
  }
  const asking = askForPages();
  const numbers = new Set<string>();
  let batches = 0;
  for await (const lines of historyLines(ledger, asked)) {
    batches += 1;
    expect(lines.length).toBeLessThanOrEqual(500);
    for (const { result } of lines) numbers.add(result.e164);
  }
  isDone = true;
  await asking;
  expect(numbers.size).toBe(100_000);
  expect(pages).toBeGreaterThan(batches / 10);
});

test('a text’s line has what is known at its turn, however long the job before it took', async () => {
  const clock = handClock();
  const ledger = createLedger(createSteps(createMemoryEngine(clock.now)), LIMITS);
  const attempt = await inFlight(ledger, 'text');
  clock.advance(1);
  await confirmed(ledger, aJob('job', [1]));
  const states: string[] = [];
  for await (const lines of historyLines(ledger, { channel: 'C1', filter: {}, person: ANA })) {
    if (lines.length > 0 && states.length === 0) await ledger.settle(attempt.ref, attempt.token, SENT);
    states.push(...lines.map(({ send, result }) => `${send} ${result.state}`));
  }
  expect(states).toEqual(['job pending', 'text sent']);
});
