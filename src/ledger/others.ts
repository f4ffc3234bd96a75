import { startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { accountsWithUnknowns } from './accounts.ts';
import { episodes, seen, sends } from './documents.ts';
import type { Announcement, Audience, Backlog, Duties, Episode, Json, SendRecord } from './ledger.ts';
import { announce, isDue, needDue, waitingSince } from './outbox.ts';
import { isToRecover, needRecovery } from './recover.ts';

/** True for the first caller of a key within its time: the others are repeats. */
export function firstTime(view: View, key: string, ttlMs: number): boolean {
  // A mark that a power cut takes away costs a second preview, and every command makes one.
  view.unsynced();
  const until = view.now + ttlMs;
  const mark = view.getUnlikely(seen, key);
  // One that lasts longer than one made now was made before the clock was set back: it would starve the polls.
  if (mark && mark.until > view.now && mark.until <= until) return false;
  view.put(seen, key, { until });
  return true;
}

/** The episode, if it ever began. */
export function episode(view: View, name: string): Episode | undefined {
  const found = view.get(episodes, name);
  return found && { name, ...found };
}

/** One winner for each change, with its announcements in the same step. */
export function moveEpisode(
  view: View,
  name: string,
  from: string | undefined,
  to: { state: string; details: Json },
  announcements: Announcement[],
): boolean {
  if (view.get(episodes, name)?.state !== from) return false;
  view.put(episodes, name, { ...to, movedAt: view.now });
  for (const one of announcements) announce(view, one);
  return true;
}

/** Sends of an instance that are running or paused, or have something on its way. */
export function openSends(view: View, instance: string): SendRecord[] {
  return view.list(sends, 'open', startingWith([instance])).map(({ value }) => value.record);
}

/** Instances that have something to take. */
export function instancesWithWork(view: View, audience: Audience): { team: string; instance: string }[] {
  const found = new Map<string, { team: string; instance: string }>();
  for (const { value } of running(view, audience)) {
    const { team, instance } = value.record;
    found.set(instance, { team, instance });
  }
  return [...found.values()];
}

/** What needs somebody now. All of it is read in one trip. */
export function duties(view: View): Duties {
  for (const kind of ['single', 'job']) view.needList(sends, 'work', startingWith([kind]));
  needDue(view);
  needRecovery(view);
  return {
    unexplained: accountsWithUnknowns(view),
    work: {
      interactive: instancesWithWork(view, 'interactive'),
      background: instancesWithWork(view, 'background'),
    },
    isToRecover: isToRecover(view),
    isOutboxDue: isDue(view),
  };
}

/** What waits, by who asks for its permits, and since when. */
export function backlog(view: View): Backlog {
  const singles = running(view, 'interactive');
  const jobs = running(view, 'background');
  const outboxSince = waitingSince(view);
  const waiting = (listed: typeof jobs) =>
    listed.reduce((sum, { value }) => sum + value.tally.states.pending.chunks, 0);
  return {
    waiting: { interactive: waiting(singles), background: waiting(jobs) },
    ...(jobs.length > 0
      ? { jobSince: Math.min(...jobs.map(({ value }) => value.record.decidedAt ?? 0)) }
      : {}),
    ...(outboxSince === undefined ? {} : { outboxSince }),
  };
}

function running(view: View, audience: Audience) {
  return view.list(sends, 'work', startingWith([audience === 'interactive' ? 'single' : 'job']));
}
