import { createJobControls } from './job-controls.ts';
import { createJobDecisions } from './job-decisions.ts';
import { createJobDrafts } from './job-drafts.ts';
import type { JobReads } from './job-reads.ts';

export type Jobs = ReturnType<typeof createJobs>;

/** What people do with jobs. `core/dispatch` carries them out. */
export function createJobs(
  deps: Parameters<typeof createJobDrafts>[0] &
    Parameters<typeof createJobDecisions>[0] &
    Parameters<typeof createJobControls>[0] & { reads: JobReads },
) {
  const { reads } = deps;
  return { ...reads, ...createJobDrafts(deps), ...createJobDecisions(deps), ...createJobControls(deps) };
}
