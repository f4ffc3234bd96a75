import { WAS_CONFIRMED } from '../../ledger/model/send-states.ts';
import type { Evidence } from '../sends/chunk-result.ts';
import type { CommonView } from '../sends/common-view.ts';
import type { JobDetails } from './job-details.ts';
import type { PauseReason } from './pause-reason.ts';

/** A job as people see it. Counts are recipients. */
export interface JobView extends CommonView {
  details: JobDetails;
  /** No request of it has begun, so it can be undone. */
  canUndo?: true;
  pause?: PauseReason;
  /** When it was last worked on or resumed, ms since 1970. */
  servedAt?: number;
  counts: {
    total: number;
    /** Taken by the service with the status "sent". */
    sent: number;
    rejected: number;
    notSent: number;
    /** Not sent, since their numbers were opted out; not in `notSent`. */
    optedOut: number;
    /** Not sent, since others sent the same words to their numbers; not in `notSent`. */
    repeated: number;
    unknown: number;
    cancelled: number;
    /** Pending or in flight. */
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
  /** Some unknown messages were in a bulk request that was refused: the balance says little about those. */
  listRefused?: boolean;
  /** What the balance says about the unknown messages, once the bot has read it. */
  evidence?: Evidence;
  /** When the unknown messages may be sent again (ms since 1970); absent if none is unknown. */
  resendableAt?: number;
  /** About how many unknown recipients a person may still decide; absent if none is unknown. */
  decidable?: number;
  /** Who left all of these as they are; absent while some wait for a decision. */
  leftBy?: string;
  /** How many unknown texts people said had arrived; `by` said it first. */
  saidSent?: { by: string; messages: number };
  /** The job that repeats the unknown messages. */
  resentAs?: string;
}

/** The credits above which a paused list waits for an approval; undefined if it does not wait for one. */
export function waitsAbove(job: Pick<JobView, 'state' | 'pause' | 'details'>): number | undefined {
  const { estimate, restApproved } = job.details;
  const waits = job.state === 'paused' && job.pause?.why === 'above_approved';
  return waits ? (restApproved?.upTo ?? estimate.credits) : undefined;
}

/** A name for this pause, different for each pause, if its sender must hear of it; undefined if there is none. */
export function pauseToTell(
  job: Pick<JobView, 'state' | 'pause' | 'details' | 'servedAt'>,
): string | undefined {
  const { state, pause, details, servedAt } = job;
  if (state !== 'paused' || (pause?.why === 'person' && pause.by === details.by)) return undefined;
  return JSON.stringify([pause, servedAt]);
}

/** Whether somebody decided to send the job. */
export function wasConfirmed({ state }: Pick<JobView, 'state'>): boolean {
  return WAS_CONFIRMED[state];
}
