import { z } from 'zod';
import { DAY_MS } from '../../ledger/model/days.ts';
import type { Json } from '../../ledger/model/json.ts';
import { ListSummary, type Sample } from '../lists/list.ts';
import { Estimate } from '../sends/estimate.ts';
import { CommonDetails } from '../sends/send-details.ts';

const FORGOTTEN: Sample = { row: 0, e164: '', text: '' };

/** If nobody sent the draft, only its figures stay: no texts and no wrong rows. */
const List = ListSummary.extend({
  samples: ListSummary.shape.samples.default({ first: FORGOTTEN, dearest: FORGOTTEN }),
  wrongRows: ListSummary.shape.wrongRows.default([]),
});

export const JobDetails = CommonDetails.extend({
  list: List,
  /**
   * Messages whose words others sent to the same numbers. `estimate` and `list` are without them. `whole` has both with
   * them, until a person decides whether to send them too.
   */
  repeats: z
    .object({
      messages: z.number(),
      included: z.boolean().default(false),
      /** How far back the guard looked, in ms. */
      withinMs: z.number().default(DAY_MS),
      whole: z.object({ estimate: Estimate, list: List }).optional(),
    })
    .optional(),
  /** What Edit fills the form with. Pasted lists are deleted when the job is sent, the rest when it is forgotten. */
  given: z
    .object({
      template: z.string(),
      recipients: z.string().optional(),
      file: z.object({ id: z.string(), name: z.string() }).optional(),
      phoneColumn: z.number().optional(),
      /** The channel's country then: the results read the file as the draft did. */
      country: z.string().optional(),
      /** All of this was deleted: nobody can tell whether the list was pasted. */
      isForgotten: z.literal(true).optional(),
    })
    .default({ template: '', isForgotten: true }),
  /** Recipients that the draft left out, since they had opted out, and about what they would have cost. */
  optedOut: z.object({ messages: z.number(), credits: z.number() }).optional(),
  /** A person chose that each message travels in a request of its own from now on. */
  oneByOne: z.boolean().optional(),
  /** The data may be an older copy, or have lost requests: an operator said so, or a bot has noticed it. */
  restored: z.boolean().optional(),
  /** Credits that were missing from the books when they were last compared, until a person resumed the job. */
  missing: z.number().optional(),
  /** Who let the job go on when it cost more than was approved, and up to how many credits. */
  restApproved: z.object({ by: z.string(), upTo: z.number() }).optional(),
  /** While it runs: no request could reach the service since then, ms since 1970. */
  outOfReachSince: z.number().optional(),
});
export type JobDetails = z.infer<typeof JobDetails>;

/** What stays of the details of a job that nobody sends: figures only. */
export function keptOf(details: Pick<JobDetails, 'by' | 'accountId' | 'estimate' | 'list'>): Json {
  const { by, accountId, estimate } = details;
  const { samples: _samples, wrongRows: _wrongRows, ...list } = details.list;
  return { by, accountId, estimate, list } as Json;
}
