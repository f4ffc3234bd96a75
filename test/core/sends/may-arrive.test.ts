import { expect, test } from 'vitest';
import { resendableAt } from '../../../src/core/sends/may-arrive.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';

const UNKNOWN: ChunkRecord = {
  send: 's1',
  index: 0,
  state: 'unknown',
  messages: [{ phone: '447700900001', text: 'Hello' }],
  attempt: 1,
  refusals: 0,
};

test('unknown messages may be sent again once the service can no longer get their requests, or with evidence', () => {
  const lost: ChunkRecord = { ...UNKNOWN, deadline: 1000, result: { cause: 'no_answer' } };
  const answered: ChunkRecord = { ...UNKNOWN, deadline: 2000, result: { cause: 'broken_answer' } };
  const crashed: ChunkRecord = { ...UNKNOWN, deadline: 500 };
  expect(resendableAt([answered])).toBe(2000);
  expect(resendableAt([lost, answered])).toBe(106_000);
  expect(resendableAt([crashed])).toBe(105_500);
  expect(resendableAt([{ ...lost, evidence: { verdict: 'probably_sent' } }, answered])).toBe(2000);
});
