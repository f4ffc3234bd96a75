import type { View } from '../../store/view.ts';
import type { Announcement } from '../model/announcement.ts';
import type { Json } from '../model/json.ts';
import type { SendRecord } from '../model/send-record.ts';
import { type OutboxDocument, outbox, type WaitingRow } from './outbox-documents.ts';

/** Makes the send's topics due. A message gets its words when it is posted. */
export function announceTopics(view: View, { id, team, topics }: SendRecord): void {
  for (const topic of topics) announce(view, rowAbout(id, topic, { team }));
}

/** Topics of all rows that may tell of the send. */
export function topicsOf({ topics, approval }: SendRecord): string[] {
  return approval ? [...topics, approval.topic] : topics;
}

export function rowAbout(send: string, topic: string, details: Json): Announcement {
  return { id: rowIdOf(topic, send), topic, subject: send, details };
}

export function rowIdOf(topic: string, send: string): string {
  return `${topic}:${send}`;
}

/**
 * Makes a row due. A row that exists is due again, with the new details. A row with spacing changes too often to post
 * each change. So it waits for its spacing, and after a refusal as long as the poster asked.
 */
export function announce(view: View, { id, topic, subject, details, spacingMs }: Announcement): void {
  const { now } = view;
  const { waiting: before, ...row } = view.getAssumingAbsent(outbox, id) ?? {};
  const spacing = spacingMs ?? row.spacing ?? 0;
  const afterPost = spacedFrom({ ...row, spacing }, now);
  const afterRefusal = before && before.attempts > 0 && spacing > 0 ? before.dueAt : 0;
  const waiting: WaitingRow = {
    ...(before ?? { attempts: 0 }),
    topic,
    subject,
    details,
    since: Math.min(before?.since ?? now, now),
    ...(before && { revisedAt: now }),
    revision: (before?.revision ?? 0) + 1,
    dueAt: before?.token === undefined ? Math.max(now, afterPost, afterRefusal) : before.dueAt,
  };
  view.put(outbox, id, { ...row, waiting, ...(spacing > 0 ? { spacing } : {}) });
}

/** When the row may be posted again, by its last post. If that is to come, somebody has set the clock back. */
export function spacedFrom({ postedAt, spacing = 0 }: OutboxDocument, now: number): number {
  return postedAt === undefined ? 0 : Math.min(postedAt, now) + spacing;
}
