import type { JobControls } from './job-controls.ts';
import type { JobDecisions } from './job-decisions.ts';
import type { JobDrafts } from './job-drafts.ts';
import type { JobReads } from './job-reads.ts';

/**
 * What people do with bulk jobs, from list to summary. Jobs send, pause and finish by themselves as answers come in: see
 * `dispatch/attempts.ts`.
 */
export type Jobs = JobDrafts & JobDecisions & JobControls & JobReads;
