import type { JobView } from '../../../core/jobs/job-view.ts';
import type { HowToResume } from '../../../core/jobs/resume-job.ts';

/** What a button says that lets a list go on. */
export interface ResumeValue {
  id: string;
  how: HowToResume;
}

/**
 * The value of such a button: the list, when it was last worked on, the credits to approve, and whether it goes on one
 * by one. A pause that came after the button was shown has another time, so the button can't end it.
 */
export function resumeValue(
  { id, servedAt = 0 }: Pick<JobView, 'id' | 'servedAt'>,
  { approvedUpTo, oneByOne = false }: HowToResume = {},
): string {
  return [id, servedAt, approvedUpTo, oneByOne].join('/');
}

/** Reads it. A button of an older version holds the id alone. */
export function readResumeValue(value: string): ResumeValue {
  const [id = '', seen, upTo, oneByOne] = value.split('/');
  return {
    id,
    how: { seenServedAt: numberOf(seen), approvedUpTo: numberOf(upTo), oneByOne: oneByOne === 'true' },
  };
}

function numberOf(part = ''): number | undefined {
  return /^\d+$/.test(part) ? Number(part) : undefined;
}
