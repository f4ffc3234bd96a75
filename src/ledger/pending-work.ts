import { startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { sends } from './documents.ts';
import { accountsWithUnknowns } from './evidence.ts';
import { isHomeDue, prefetchDueHomes } from './homes.ts';
import { isDue, prefetchDue, waitingSince } from './outbox.ts';
import { needsRecovery, prefetchRecovery } from './recover.ts';
import { countOf } from './tally.ts';
import type { Backlog, PendingWork, Priority, SendRecord } from './types.ts';

/** Sends of an instance that are running or paused, or have something on its way. */
export function openSends(view: View, instance: string): SendRecord[] {
  return view.list(sends, 'open', startingWith([instance])).map(({ value }) => value.record);
}

/** Instances that have something to take. */
export function instancesWithWork(view: View, priority: Priority): { team: string; instance: string }[] {
  const found = new Map<string, { team: string; instance: string }>();
  for (const { value } of running(view, priority)) {
    const { team, instance } = value.record;
    found.set(instance, { team, instance });
  }
  return [...found.values()];
}

/** Work that somebody should do now. All of it is read in one trip. */
export function pendingWork(view: View): PendingWork {
  for (const kind of ['single', 'job']) view.prefetchList(sends, 'work', startingWith([kind]));
  prefetchDue(view);
  prefetchRecovery(view);
  prefetchDueHomes(view);
  return {
    unexplained: accountsWithUnknowns(view),
    work: {
      interactive: instancesWithWork(view, 'interactive'),
      background: instancesWithWork(view, 'background'),
    },
    needsRecovery: needsRecovery(view),
    isOutboxDue: isDue(view),
    isHomeDue: isHomeDue(view),
  };
}

/** What waits, by who asks for its permits, and since when. */
export function backlog(view: View): Backlog {
  const singles = running(view, 'interactive');
  const jobs = running(view, 'background');
  const outboxSince = waitingSince(view);
  const waiting = (listed: typeof jobs) =>
    listed.reduce((sum, { value }) => sum + countOf(value.tally, 'pending').chunks, 0);
  return {
    waiting: { interactive: waiting(singles), background: waiting(jobs) },
    ...(jobs.length > 0
      ? { jobSince: Math.min(...jobs.map(({ value }) => value.record.decidedAt ?? 0)) }
      : {}),
    ...(outboxSince === undefined ? {} : { outboxSince }),
  };
}

function running(view: View, priority: Priority) {
  return view.list(sends, 'work', startingWith([priority === 'interactive' ? 'single' : 'job']));
}
