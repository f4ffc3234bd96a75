import { z } from 'zod';
import type { Resends, SendRecord } from '../../ledger/ledger.ts';
import { ListSummary, type Sample } from '../lists/list.ts';
import { Estimate } from '../sends/estimate.ts';
import type { Evidence } from '../sends/outcome.ts';
import type { PauseReason } from './pause-reason.ts';

const FORGOTTEN: Sample = { row: 0, e164: '', text: '' };

/** What is remembered of a job, from preview to summary. */
export const JobDetails = z.object({
  by: z.string(),
  /** Who pays, as the preview showed it. */
  accountId: z.string(),
  /** The wall clock at the decision, ms since 1970. */
  confirmedAt: z.number().optional(),
  estimate: Estimate,
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
  /** Each message travels in a request of its own from here on, as a person chose. */
  oneByOne: z.boolean().optional(),
  /** Credits that were missing from the books when they were last compared, until a person resumed the job. */
  missing: z.number().optional(),
  /** An operator put a copy of the data back while the job was paused, until a person resumed it. */
  restored: z.boolean().optional(),
});
export type JobDetails = z.infer<typeof JobDetails>;

const CONFIRMED: { [state in SendRecord['state']]: boolean } = {
  draft: false,
  cancelled: false,
  superseded: false,
  expired: false,
  running: true,
  paused: true,
  finished: true,
  stopped: true,
};

/** Whether somebody decided to send the job. */
export function wasConfirmed({ state }: Pick<JobView, 'state'>): boolean {
  return CONFIRMED[state];
}

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
  /** The same with one text a request; while it is paused. */
  msOneByOne?: number;
  /** A bulk request with some of the unknown ones was refused: what the balance shows says little of them. */
  listRefused?: boolean;
  /** What the balance says of the unknown ones, once it was looked at. */
  evidence?: Evidence;
  /** From when on the unknown ones may be sent again (ms since 1970); absent where none is unknown. */
  resendableAt?: number;
  /** How many unknown recipients need a person's decision: they were not sent again. Absent where none is unknown. */
  undecided?: number;
  /** How many unknown texts people said had arrived; `by` said it first. */
  saidSent?: { by: string; messages: number };
  /** The job that repeats the unknown ones. */
  resentAs?: string;
  resends?: Resends;
}
