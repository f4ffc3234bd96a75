import { startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { isHomeDue } from './homes/homes.ts';
import { defined } from './model/defined.ts';
import type { Priority } from './model/ledger-limits.ts';
import { sends } from './model/send-documents.ts';
import type { SendRecord } from './model/send-record.ts';
import { countOf } from './model/tally.ts';
import { isDue, waitingSince } from './outbox/take-rows.ts';
import { needsRecovery } from './sends/recover.ts';
import { accountsWithUnknowns } from './unknowns/evidence.ts';

/** Sends of an instance that are running or paused, or have a request on its way. */
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

/** Work that somebody should do now, read in one trip. */
export function pendingWork(view: View) {
  const [texts, interactive, background, unexplained, recovery, outbox, home] = view.together(
    () => running(view, 'interactive').map(({ value }) => value.record),
    () => instancesWithWork(view, 'interactive'),
    () => instancesWithWork(view, 'background'),
    () => accountsWithUnknowns(view),
    () => needsRecovery(view),
    () => isDue(view),
    () => isHomeDue(view),
  );
  return {
    /** Single texts that wait for their requests. */
    texts,
    work: { interactive, background },
    /** Accounts that have unknown chunks without evidence. */
    unexplained,
    /** Whether `recover` has something to do. */
    needsRecovery: recovery,
    isOutboxDue: outbox,
    isHomeDue: home,
  };
}

/** Waiting work, for people who watch the bot. A time is missing if nothing waits. */
export function backlog(view: View) {
  const singles = running(view, 'interactive');
  const jobs = running(view, 'background');
  const outboxSince = waitingSince(view);
  const waiting = (listed: typeof jobs) =>
    listed.reduce((sum, { value }) => sum + countOf(value.tally, 'pending').chunks, 0);
  const decided = jobs.map(({ value }) => value.record.decidedAt ?? 0);
  return defined({
    /** Pending chunks of running sends. */
    waiting: { interactive: waiting(singles), background: waiting(jobs) },
    /** When the oldest running job that has pending chunks was decided. */
    jobSince: decided.length > 0 ? Math.min(...decided) : undefined,
    /** Since when the oldest outbox row waits, however often the bot tried to post it. */
    outboxSince,
  });
}

function running(view: View, priority: Priority) {
  return view.list(sends, 'work', startingWith([priority === 'interactive' ? 'single' : 'job']));
}
