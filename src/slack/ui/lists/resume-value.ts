import { type JobView, restoredSince } from '../../../core/jobs/job-view.ts';
import type { HowToResume } from '../../../core/jobs/resume-job.ts';

/**
 * The button's value: the list, when the bot last worked on it, the credits to approve, whether texts go one by one, and
 * since which failover the store may lack requests, as the message warns. A later pause has another time, so an older
 * button can't end that pause.
 */
export function resumeValue(job: JobView, { approvedUpTo, oneByOne = false }: HowToResume = {}): string {
  return [job.id, job.servedAt ?? 0, approvedUpTo, oneByOne, restoredSince(job) ?? false].join('/');
}

/** Reads that value. A button of an older version has the id alone. */
export function readResumeValue(value: string): { id: string } & HowToResume {
  const [id = '', seen, upTo, oneByOne, seenRestored] = value.split('/');
  return {
    id,
    seenServedAt: numberOf(seen),
    approvedUpTo: numberOf(upTo),
    oneByOne: oneByOne === 'true',
    seenRestored,
  };
}

function numberOf(part = ''): number | undefined {
  return /^\d+$/.test(part) ? Number(part) : undefined;
}
