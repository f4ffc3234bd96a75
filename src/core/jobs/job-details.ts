import { z } from 'zod';
import type { Resends, SendRecord } from '../../store/ledger.ts';
import { ListSummary, type Sample } from '../lists/list.ts';
import type { Evidence } from '../sends/details.ts';

const FORGOTTEN: Sample = { row: 0, e164: '', text: '' };

/** What is remembered of a job, from preview to summary. */
export const JobDetails = z.object({
  by: z.string(),
  /** Who pays, as the preview showed it. */
  accountId: z.string(),
  /** The wall clock at the decision, ms since 1970. */
  confirmedAt: z.number().optional(),
  estimate: z.object({ credits: z.number(), basis: z.enum(['documented', 'receipts']) }),
  /** Of a draft that nobody sent only the figures stay: its samples are empty. */
  list: ListSummary.extend({
    samples: ListSummary.shape.samples.default({ first: FORGOTTEN, dearest: FORGOTTEN }),
    wrongRows: ListSummary.shape.wrongRows.default([]),
  }),
  /** What Edit fills the form with. What was pasted goes when it is sent, all of it when it is forgotten. */
  given: z
    .object({
      template: z.string(),
      recipients: z.string().optional(),
      file: z.object({ id: z.string(), name: z.string() }).optional(),
      phoneColumn: z.number().optional(),
    })
    .default({ template: '' }),
  /** How to reach the person who asked; the room that talks to people reads it. */
  reply: z.json().optional(),
});
export type JobDetails = z.infer<typeof JobDetails>;

/** Why a job is paused. `by`: the person who pressed Pause. */
export const PauseReason = z.discriminatedUnion('why', [
  z.object({ why: z.literal('person'), by: z.string() }),
  z.object({ why: z.literal('key_refused') }),
  z.object({ why: z.literal('credits'), required: z.number().optional(), available: z.number().optional() }),
  /** The service refuses in words of its own. */
  z.object({ why: z.literal('refused'), code: z.string(), message: z.string() }),
  /** The first three chunks were all refused as invalid. */
  z.object({ why: z.literal('all_invalid'), message: z.string() }),
  /** Two unknown answers in a row. */
  z.object({ why: z.literal('unknown_answers') }),
]);
export type PauseReason = z.infer<typeof PauseReason>;

/** A job as people see it. Counts are recipients. */
export interface JobView {
  id: string;
  team: string;
  channel: string;
  instance: string;
  state: SendRecord['state'];
  details: JobDetails;
  expiresAt: number;
  decidedBy?: string;
  decidedAt?: number;
  endedAt?: number;
  pause?: PauseReason;
  counts: {
    total: number;
    /** Taken by the service with the status "sent". */
    sent: number;
    rejected: number;
    notSent: number;
    unknown: number;
    cancelled: number;
    /** Pending, and of those in flight. */
    left: number;
    inFlight: number;
    /** Taken with another status, by that status; not in `sent`. */
    otherStatuses: { [status: string]: number };
  };
  creditsUsed: number;
  /** About how long the rest takes under the rate limit, in ms; while it runs. */
  msLeft?: number;
  /** What the balance says of the unknown ones, once it was looked at. */
  evidence?: Evidence;
  /** From when on the unknown ones may be sent again (ms since 1970); absent where none is unknown. */
  resendableAt?: number;
  /** The job that repeats the unknown ones. */
  resentAs?: string;
  resends?: Resends;
}
