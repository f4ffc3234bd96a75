import type { Backlog } from '../ledger.ts';
import type { Context } from './context.ts';

/** What waits, by kind; only sends that run are looked at, and only rows that are not posted. */
export function backlogOf({ db }: Context): Backlog {
  const work = db
    .sql(
      `SELECT kind, count(*) AS waiting, min(decided_at) AS since FROM sends JOIN chunks ON chunks.send = sends.id
       WHERE sends.state = 'running' AND chunks.state = 'pending' GROUP BY kind`,
    )
    .all();
  const jobs = work.find(({ kind }) => kind === 'job');
  const singles = work.find(({ kind }) => kind === 'single');
  const row = db.sql("SELECT min(since) AS since FROM outbox WHERE state IN ('due', 'posting')").get();
  return {
    waiting: { interactive: Number(singles?.waiting ?? 0), background: Number(jobs?.waiting ?? 0) },
    ...(jobs ? { jobSince: Number(jobs.since) } : {}),
    ...(typeof row?.since === 'number' ? { outboxSince: row.since } : {}),
  };
}
