import { startingFrom, startingWith } from '../../store/keys.ts';
import { MOST_CLOCK_SKEW_MS } from '../../store/store.ts';
import type { View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { type ChunkDocument, chunkIdOf, chunkRefOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import { defined } from '../model/defined.ts';
import type { Entries } from '../model/entries.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { isUndecidedSend, isUnderWay, mayHoldDetails, STALE_AFTER_MS } from '../model/send-states.ts';
import { outbox } from '../outbox/outbox-documents.ts';
import { LONGEST_WAIT_MS } from '../permits/rate-limit.ts';
import { putSend } from '../rules/put-send.ts';

/** Further ahead than any true time, in ms: a job that was worked on then counts as unattended. */
const FAR_FUTURE_MS = 31_536_000_000;

/** Processes differ by up to this in what they take for the store's time, in ms. Such a difference is no jump. */
export const SLACK_MS = 2 * MOST_CLOCK_SKEW_MS;

/**
 * If somebody has set the clock back, stored times lie in the future. Cuts waits to the longest possible one. `isDead`:
 * no bot ran meanwhile, so nobody knows the age of a draft or a confirmed text from the future. Then it counts as over,
 * and nobody is texted hours later.
 */
export function clampFutureTimes(
  view: View,
  id: string,
  { isDead, ...limits }: LedgerLimits & { isDead: boolean },
): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { record, work } = send;
  for (const index of Object.keys({ ...work.back, ...work.inFlight })) {
    clampFutureTimesOfChunk(view, { send: id, index: Number(index) }, limits);
  }
  const clamped = clampedRecord(record, view.now, isDead);
  const begin = Math.max(view.now, clamped.startsAt ?? 0);
  const latestStale = isDead ? view.now : begin + STALE_AFTER_MS;
  const after: SendDocument = {
    ...send,
    record: clamped,
    work: clampedWork(send, view.now, { ...limits, latestStale }),
  };
  if (JSON.stringify(after) !== JSON.stringify(send)) putSend(view, id, after);
}

function clampedRecord(record: SendRecord, now: number, isDead: boolean): SendRecord {
  const clamped = { ...record };
  const { createdAt, expiresAt, startsAt, decidedAt = 0, approval } = record;
  const begun = Math.max(createdAt, approval?.askedAt ?? 0);
  if (isUndecidedSend(record.state) && begun > now) {
    const lifeMs = isDead ? 0 : expiresAt - begun;
    clamped.expiresAt = cut(expiresAt, now + lifeMs);
    // Its life begins now, so a second look changes nothing.
    clamped.createdAt = Math.min(createdAt, now);
    if (approval) clamped.approval = { ...approval, askedAt: Math.min(approval.askedAt, now) };
  }
  if (mayHoldDetails(record) && (record.endedAt ?? 0) > now) clamped.endedAt = now;
  // A person can still undo it, for as long as at first. Its wait begins now, so a second look changes nothing.
  if (startsAt !== undefined && decidedAt > now)
    clamped.startsAt = Math.min(startsAt, now + startsAt - decidedAt);
  // Otherwise an old text would seem newer than this start.
  const isOldText = isDead && record.kind === 'single' && record.state === 'running';
  if (decidedAt > now && (startsAt !== undefined || isOldText)) clamped.decidedAt = now;
  // Nobody can know how long such a job was unattended: so it waits for a person.
  if (isDead && isUnderWay(record.state) && (record.servedAt ?? decidedAt) > now)
    clamped.servedAt = now + FAR_FUTURE_MS;
  return clamped;
}

function clampedWork(
  { record, work }: SendDocument,
  now: number,
  { leaseMs, latestStale }: Pick<LedgerLimits, 'leaseMs'> & { latestStale: number },
): SendDocument['work'] {
  const isFromFuture = (record.decidedAt ?? 0) > now;
  const { staleAt } = work;
  return {
    ...work,
    ...defined({
      back: atMost(work.back, now + LONGEST_WAIT_MS),
      staleAt: isFromFuture && staleAt !== undefined ? cut(staleAt, latestStale) : staleAt,
      inFlight: atMost(work.inFlight, now + leaseMs),
    }),
  };
}

function atMost(times: Entries<number>, latest: number): Entries<number> {
  return (
    times && Object.fromEntries(Object.entries(times).map(([index, time]) => [index, cut(time, latest)]))
  );
}

/** Whether open sends, unknown texts or messages to Slack are from a time that is still to come. */
export function isSetBack(view: View): boolean {
  const [open, unknown, rows] = view.together(
    () => view.list(sends, 'look', startingWith([])).concat(view.list(sends, 'open', startingWith([]))),
    () => view.list(chunks, 'undecided', startingFrom([], view.now + SLACK_MS), { limit: 1 }),
    // The news that a list begins is of a moment that is truly to come, but soon.
    () => view.list(outbox, 'waiting', startingFrom([], view.now + LONGEST_WAIT_MS), { limit: 1 }),
  );
  return unknown.length + rows.length > 0 || open.some(({ value }) => isFromFuture(value.record, view.now));
}

/** Whether something happened to the send at a time that is still to come: somebody has set the clock back since. */
export function isFromFuture(
  { createdAt, decidedAt = 0, servedAt = 0 }: Pick<SendRecord, 'createdAt' | 'decidedAt' | 'servedAt'>,
  now: number,
): boolean {
  return Math.max(createdAt, decidedAt, servedAt) > now + SLACK_MS;
}

/** The time, but not much later than `latest`. */
function cut(time: number, latest: number): number {
  return time > latest + SLACK_MS ? latest : time;
}

/** The same for unknown chunks: nobody can judge or resend a chunk before its deadline. */
export function clampFutureTimesOfUnknowns(view: View, limits: LedgerLimits): void {
  const found = [
    ...view.list(chunks, 'undecided', startingFrom([], view.now)),
    ...view.list(chunks, 'unexplained', startingWith([])),
  ];
  for (const { id } of found) clampFutureTimesOfChunk(view, chunkRefOf(id), limits);
}

function clampFutureTimesOfChunk(view: View, ref: ChunkRef, { leaseMs }: LedgerLimits): void {
  const was = view.get(chunks, chunkIdOf(ref));
  if (!was) return;
  const { deadline, notBefore } = was;
  const is: ChunkDocument = {
    ...was,
    ...(deadline !== undefined && { deadline: cut(deadline, view.now + leaseMs) }),
    ...(notBefore !== undefined && { notBefore: cut(notBefore, view.now + LONGEST_WAIT_MS) }),
  };
  if (is.deadline !== deadline || is.notBefore !== notBefore) putChunk(view, ref, was, is);
}
