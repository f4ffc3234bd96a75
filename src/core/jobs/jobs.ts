import type { JobControls } from './job-controls.ts';
import type { JobDecisions } from './job-decisions.ts';
import type { JobDrafts } from './job-drafts.ts';
import type { JobReads } from './job-reads.ts';

/**
 * Bulk jobs as people act on them, from list to summary. What jobs do by themselves (sending, pausing, finishing)
 * follows from answers: `dispatch/attempts.ts`.
 */
export type Jobs = JobDrafts & JobDecisions & JobControls & JobReads;
