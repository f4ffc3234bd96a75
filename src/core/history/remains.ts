import type { Json } from '../../ledger/model/json.ts';
import type { Remains } from '../../ledger/retention/forget-ended.ts';
import type { Evidence } from '../sends/chunk-result.ts';

/** The details of a text that stay: who sent it, its estimate, and who paid. */
const OF_A_TEXT = ['by', 'accountId', 'estimate', 'receiptLine'] as const;
/** The details of a job that stay; of its list only the figures. */
const OF_A_JOB = ['by', 'accountId', 'estimate', 'oneByOne', 'restApproved'] as const;
const OF_A_LIST = ['rows', 'toSend', 'wrong', 'countries', 'bySegments', 'ucs2'] as const;
/** The parts of an answer that stay: neither the service's words nor its message ids. */
const OF_A_RESULT = ['cause', 'creditsUsed'] as const;

/** What stays after words and numbers are deleted: only the fields listed here. */
export const remains: Remains = {
  details({ kind, details }) {
    if (kind === 'single') return picked(details, OF_A_TEXT);
    return { ...picked(details, OF_A_JOB), list: picked(fieldOf(details, 'list'), OF_A_LIST) };
  },
  result: (result) => picked(result, OF_A_RESULT),
  evidence: { verdict: 'none' } satisfies Evidence,
};

function picked(from: Json | undefined, names: readonly string[]): { [name: string]: Json } {
  const found: { [name: string]: Json } = {};
  for (const name of names) {
    const value = fieldOf(from, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

function fieldOf(from: Json | undefined, name: string): Json | undefined {
  const isObject = typeof from === 'object' && from !== null && !Array.isArray(from);
  return isObject ? from[name] : undefined;
}
