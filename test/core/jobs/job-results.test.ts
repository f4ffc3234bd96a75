import { expect, test } from 'vitest';
import { jobResults, resultsOf } from '../../../src/core/jobs/job-results.ts';
import { createLedger } from '../../../src/ledger/create-ledger.ts';
import type { ChunkRecord, LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';
import { createSteps } from '../../../src/store/steps.ts';
import {
  aJob,
  aPart,
  confirmed,
  forJobs,
  LIMITS,
  resolvedPerMessage,
  SENT,
  taken,
  UNANSWERED,
} from '../../helpers/ledger-fixtures.ts';
import { createMemoryEngine } from '../../helpers/memory-engine.ts';

/** The results of a request with two texts, of three segments and of one. Its receipt took four credits. */
function resultsWith(messages: LedgerMessage[]) {
  const chunk: ChunkRecord = {
    send: 's1',
    index: 0,
    state: 'sent',
    attempt: 1,
    refusals: 0,
    messages,
    result: { cause: 'accepted', creditsUsed: 4 },
  };
  return resultsOf(chunk).map(({ e164, credits }) => [e164, credits]);
}

const LONG = { phone: '447700900001', text: 'a'.repeat(400) };
const SHORT = { phone: '447700900002', text: 'Hello' };

test('the cost of a request is divided by segments, but not once a text of it was erased', () => {
  expect(resultsWith([LONG, SHORT])).toEqual([
    ['+447700900001', 3],
    ['+447700900002', 1],
  ]);
  expect(resultsWith([{ phone: '', text: '' }, SHORT])).toEqual([['+447700900002', undefined]]);
});

test('each recipient is there once, also if a late answer splits a chunk while the results are read', async () => {
  const ledger = createLedger(createSteps(createMemoryEngine(() => 1)), LIMITS);
  await confirmed(ledger, aJob('j1', [2, 1, 1, 1, 1, 1]));
  const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => taken(ledger, forJobs())));
  if (!first) throw new Error('nothing was taken');
  await ledger.settle(first.ref, first.token, UNANSWERED);
  for (const { ref, token } of others) await ledger.settle(ref, token, SENT);
  const [one, two] = first.chunk.messages;
  if (!one || !two) throw new Error('the first chunk has two messages');
  const late = resolvedPerMessage([aPart('sent', [one]), aPart('unknown', [two])]);

  const results = await jobResults(
    {
      async chunks(...asked) {
        const page = await ledger.chunks(...asked);
        await ledger.settle(first.ref, first.token, late);
        return page;
      },
    },
    'j1',
  );
  expect((await ledger.find('j1'))?.state).toBe('finished');
  expect(results?.map(({ e164 }) => e164).sort()).toEqual(
    [...new Set(results?.map(({ e164 }) => e164))].sort(),
  );
  expect(results).toHaveLength(7);
});
