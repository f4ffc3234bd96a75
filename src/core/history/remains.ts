import { z } from 'zod';
import type { Json } from '../../ledger/model/json.ts';
import type { Remains } from '../../ledger/retention/forget-ended.ts';
import type { Evidence } from '../sends/chunk-result.ts';

const kept = z.json().optional();

/** The details of a text that stay: who sent it, its estimate, and who paid. */
const OfText = z.object({ by: kept, accountId: kept, estimate: kept, receiptLine: kept }).catch({});
const OfList = z
  .object({ rows: kept, toSend: kept, wrong: kept, countries: kept, bySegments: kept, ucs2: kept })
  .catch({});
/** The details of a job that stay; of its list only the figures. */
const OfJob = z
  .object({ by: kept, accountId: kept, estimate: kept, oneByOne: kept, restApproved: kept, list: OfList })
  .catch({ list: {} });
/** The parts of an answer that stay: neither the service's words nor its message ids. */
const OfResult = z.object({ cause: kept, creditsUsed: kept }).catch({});

/** What stays after words and numbers are deleted: only the fields listed here. */
export const remains: Remains = {
  details: ({ kind, details }) => (kind === 'single' ? OfText : OfJob).parse(details) as Json,
  result: (result) => OfResult.parse(result) as Json,
  evidence: { verdict: 'none' } satisfies Evidence,
};
