import { WAS_CONFIRMED } from '../../ledger/model/send-states.ts';
import type { viewOf } from './read-job.ts';

export type JobView = Awaited<ReturnType<typeof viewOf>>;

/** The credits above which a paused list waits for an approval; undefined if it does not wait for one. */
export function waitsAbove(job: Pick<JobView, 'state' | 'pause' | 'details'>): number | undefined {
  const { estimate, restApproved } = job.details;
  const waits = job.state === 'paused' && job.pause?.why === 'above_approved';
  return waits ? (restApproved?.upTo ?? estimate.credits) : undefined;
}

/** Names the failover after which the store may lack requests of a job. `true` after a restore; undefined without either. */
export function restoredSince({ details, mayLackRequests = true }: JobView): string | undefined {
  return details.restored ? String(mayLackRequests) : undefined;
}

/** A name for a pause that the job's sender must hear of, different for each pause. Undefined if there is none. */
export function pauseToTell(
  job: Pick<JobView, 'state' | 'pause' | 'details' | 'servedAt'>,
): string | undefined {
  const { state, pause, details, servedAt } = job;
  if (state !== 'paused' || (pause?.why === 'person' && pause.by === details.by)) return undefined;
  return JSON.stringify([pause, servedAt]);
}

export function wasConfirmed({ state }: Pick<JobView, 'state'>): boolean {
  return WAS_CONFIRMED[state];
}
