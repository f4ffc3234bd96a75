import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerLimits } from '../../ledger/model/ledger-limits.ts';
import type { SendRecord } from '../../ledger/model/send-record.ts';
import type { Instances } from '../accounts/instances.ts';
import { isOpenJob, openJobsOf } from '../accounts/open-jobs.ts';
import { jobResults, rejectedRecipients } from './job-results.ts';
import type { JobView } from './job-view.ts';
import { viewOf } from './read-job.ts';

export type JobReads = ReturnType<typeof createJobReads>;

export function createJobReads(deps: {
  ledger: Ledger;
  limits: LedgerLimits;
  instances: Pick<Instances, 'list'>;
}) {
  const { ledger, limits } = deps;
  const viewOfSend = (send: SendRecord) => viewOf(ledger, limits, send);

  async function view(id: string): Promise<JobView | undefined> {
    const send = await ledger.find(id);
    return send?.kind === 'job' ? viewOfSend(send) : undefined;
  }

  const openJobs = async (team: string) => (await openJobsOf(deps, team)).filter(isOpenJob);

  return {
    view,
    /** For callers who know that the job is there. @throws Error if it is not */
    async mustView(id: string): Promise<JobView> {
      const found = await view(id);
      if (!found) throw new Error(`the job ${id} is gone from the ledger`);
      return found;
    },
    /** Running and paused jobs of a channel. */
    async open(team: string, channel: string): Promise<JobView[]> {
      const jobs = await openJobs(team);
      return Promise.all(jobs.filter(({ channelId }) => channelId === channel).map(viewOfSend));
    },
    /** Running and paused jobs of the whole workspace, the newest first. */
    async openInTeam(team: string): Promise<JobView[]> {
      const jobs = await openJobs(team);
      jobs.sort((one, other) => (other.decidedAt ?? 0) - (one.decidedAt ?? 0));
      return Promise.all(jobs.map(viewOfSend));
    },
    rejected: (id: string) => rejectedRecipients(ledger, id),
    results: (id: string) => jobResults(ledger, id),
  };
}
