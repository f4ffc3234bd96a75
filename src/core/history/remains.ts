import type { Json } from '../../ledger/model/types.ts';
import type { Remains } from '../../ledger/retention/retention-types.ts';
import type { Evidence } from '../sends/outcome.ts';

/** What stays of a text's details: who, what it was to cost, and who paid. */
const OF_A_TEXT = ['by', 'accountId', 'confirmedAt', 'estimate', 'receiptLine'] as const;
/** Of a job's, and of its list the figures. */
const OF_A_JOB = ['by', 'accountId', 'confirmedAt', 'estimate', 'oneByOne', 'restApproved'] as const;
const OF_A_LIST = ['rows', 'toSend', 'wrong', 'countries', 'bySegments', 'ucs2'] as const;
/** Of an answer: neither the service's words nor its ids of messages. */
const OF_A_RESULT = ['cause', 'creditsUsed'] as const;

/**
 * What stays once words and numbers are forgotten. It names what stays: what a later version adds goes, unless it is
 * named here.
 */
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
