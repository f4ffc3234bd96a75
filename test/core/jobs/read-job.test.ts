import { expect, test } from 'vitest';
import { wasListRefused } from '../../../src/core/jobs/read-job.ts';
import type { ChunkRecord } from '../../../src/ledger/model/chunk-record.ts';

const UNKNOWN: ChunkRecord = {
  send: 'j1',
  index: 0,
  state: 'unknown',
  messages: [{ phone: '447700900001', text: 'Hello' }],
  attempt: 1,
  refusals: 0,
};

test.each([
  ['list_refused', true],
  // Earlier versions wrote this cause. The service would refuse these texts again in one bulk request.
  ['unproven', true],
  ['no_answer', false],
])('unknown messages with the cause %s were in a refused list: %s', (cause, refused) => {
  expect(wasListRefused({ ...UNKNOWN, result: { cause } })).toBe(refused);
});
