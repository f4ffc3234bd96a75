import type { Backlog } from '../ledger.ts';
import type { Context } from './context.ts';

/** What waits, by kind; only sends that run are looked at, and only rows that are not posted. */
export async function backlogOf({ runner }: Context): Promise<Backlog> {
  const [singles, jobs, jobSince, outboxSince] = await runner.run('backlog', {});
  return {
    waiting: { interactive: Number(singles), background: Number(jobs) },
    ...(jobSince === '' ? {} : { jobSince: Number(jobSince) }),
    ...(outboxSince === '' ? {} : { outboxSince: Number(outboxSince) }),
  };
}
