import { expect, test } from 'vitest';
import { resultsOf } from '../../../src/core/jobs/job-results.ts';
import type { ChunkRecord, LedgerMessage } from '../../../src/ledger/model/chunk-record.ts';

/** A request with two texts, of three segments and of one, that took four credits. */
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

test('what a request cost is shared out by segments, but not once a text of it was erased', () => {
  expect(resultsWith([LONG, SHORT])).toEqual([
    ['+447700900001', 3],
    ['+447700900002', 1],
  ]);
  expect(resultsWith([{ phone: '', text: '' }, SHORT])).toEqual([['+447700900002', undefined]]);
});
