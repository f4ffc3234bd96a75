import { startingFrom, startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { type ChunkDocument, chunkIdOf, chunkRefOf, chunks } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { Entries } from '../model/entries.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { sends } from '../model/send-documents.ts';
import { isUndecidedSend, isUnderWay, mayHoldDetails } from '../model/send-states.ts';
import { LONGEST_WAIT_MS } from '../permits/rate-limit.ts';
import { putSend } from '../rules/put-send.ts';

/** Further ahead than any true time, in ms: a job that was worked on then counts as unattended. */
const FAR_FUTURE_MS = 31_536_000_000;

/**
 * Call it before anything runs: if somebody set the clock back between two runs, stored times lie in the future. Cuts
 * waits to the longest possible one. Nobody knows the age of a draft, or of a confirmed single send, from the future.
 * So it counts as over, and nobody is texted hours later.
 */
export function clampFutureTimes(view: View, id: string, limits: LedgerLimits): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { now } = view;
  const { record, work } = send;
  const atMost = (times: Entries<number>, longest: number): Entries<number> =>
    times &&
    Object.fromEntries(Object.entries(times).map(([index, time]) => [index, Math.min(time, now + longest)]));
  const clamped = { ...record };
  const { approval: { askedAt = 0 } = {} } = record;
  if (isUndecidedSend(record.state) && Math.max(record.createdAt, askedAt) > now) clamped.expiresAt = now;
  if (mayHoldDetails(record) && (record.endedAt ?? 0) > now) clamped.endedAt = now;
  // A person can still undo it, for as long as at first.
  const { startsAt, decidedAt = 0 } = record;
  if (startsAt !== undefined) clamped.startsAt = Math.min(startsAt, now + startsAt - decidedAt);
  // Nobody can know how long such a job was unattended: so it waits for a person.
  if (isUnderWay(record.state) && (record.servedAt ?? 0) > now) clamped.servedAt = now + FAR_FUTURE_MS;
  const isFromFuture = decidedAt > now;
  const staleAt = isFromFuture && work.staleAt !== undefined ? Math.min(work.staleAt, now) : work.staleAt;
  for (const index of Object.keys({ ...work.back, ...work.inFlight })) {
    clampFutureTimesOfChunk(view, { send: id, index: Number(index) }, limits);
  }
  putSend(view, id, {
    ...send,
    record: clamped,
    work: {
      ...work,
      back: atMost(work.back, LONGEST_WAIT_MS),
      inFlight: atMost(work.inFlight, limits.leaseMs),
      ...(staleAt === undefined ? {} : { staleAt }),
    },
  });
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
  const { deadline = 0, notBefore = 0 } = was;
  const [latest, longest] = [view.now + leaseMs, view.now + LONGEST_WAIT_MS];
  if (deadline <= latest && notBefore <= longest) return;
  const is: ChunkDocument = {
    ...was,
    ...(deadline > latest ? { deadline: latest } : {}),
    ...(notBefore > longest ? { notBefore: longest } : {}),
  };
  putChunk(view, ref, was, is);
}
