import type { createJobControls } from './job-controls.ts';
import type { createJobDecisions } from './job-decisions.ts';
import type { createJobDrafts } from './job-drafts.ts';
import type { JobReads } from './job-reads.ts';

/** What people do with jobs. `core/dispatch` carries them out. */
export type Jobs = JobReads &
  ReturnType<typeof createJobDrafts> &
  ReturnType<typeof createJobDecisions> &
  ReturnType<typeof createJobControls>;
