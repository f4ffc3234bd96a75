import { LONGEST_WAIT_MS, permitMargin } from '../transitions.ts';
import type { Context } from './context.ts';

/** A job that was worked on so far ahead of now, in ms, was not: a clock was set back. */
const CANT_BE_MS = 31_536_000_000;

/**
 * Call at start, before anything is recovered: a wall clock that was set back between two runs leaves times in the
 * future. Waits are cut to the longest that can be right from now. Where a duration can't be known any more (a draft
 * or a confirmed single send from the future), it counts as over: nobody is texted hours later.
 */
export function mendTimes({ db, now, limits }: Context): void {
  db.transaction(() => {
    const at = now();
    const permit = at + limits.leaseMs + limits.windowMs + permitMargin(limits.windowMs) + limits.timeoutMs;
    db.sql('UPDATE permits SET live_until = ?1 WHERE live_until > ?1').run(permit);
    db.sql('UPDATE rests SET until = ?1 WHERE until > ?1').run(at + LONGEST_WAIT_MS);
    db.sql("UPDATE chunks SET deadline = ?1 WHERE state IN ('sending', 'unknown') AND deadline > ?1").run(
      at + limits.leaseMs,
    );
    db.sql("UPDATE chunks SET not_before = ?1 WHERE state = 'pending' AND not_before > ?1").run(
      at + LONGEST_WAIT_MS,
    );
    db.sql(
      `UPDATE chunks SET stale_at = ?1 WHERE state = 'pending' AND stale_at > ?1 AND send IN
         (SELECT id FROM sends WHERE state = 'running' AND decided_at > ?1)`,
    ).run(at);
    db.sql("UPDATE sends SET expires_at = ?1 WHERE state = 'draft' AND created_at > ?1").run(at);
    db.sql(
      "UPDATE sends SET ended_at = ?1 WHERE state = 'expired' AND keeps IS NOT NULL AND ended_at > ?1",
    ).run(at);
    // How long nobody worked on such a job can't be known: it waits for a person, with a time that can't be.
    db.sql(
      "UPDATE sends SET served_at = ?1 + ?2 WHERE state IN ('running', 'paused') AND served_at > ?1",
    ).run(at, CANT_BE_MS);
    db.sql(
      `UPDATE outbox SET due_at = max(?1, coalesce(min(posted_at, ?1) + spacing, 0))
       WHERE state = 'due' AND due_at > ?1`,
    ).run(at);
  });
}
