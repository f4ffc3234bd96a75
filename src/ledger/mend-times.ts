import { keyText, startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { followChunk } from './accounts.ts';
import { type ChunkDocument, chunks, nameOf, refOf, sends } from './documents.ts';
import type { ChunkRef, LedgerLimits } from './ledger.ts';
import { LONGEST_WAIT_MS } from './permits.ts';

/** A job that was worked on so far ahead of now, in ms, was not: a clock was set back. */
const CANT_BE_MS = 31_536_000_000;

/**
 * Call where nothing runs: a wall clock that was set back between two runs leaves times in the future. Waits are cut to
 * the longest that can be right from now. Where a duration can't be known any more (a draft or a confirmed single send
 * from the future), it counts as over: nobody is texted hours later.
 */
export function mendTimes(view: View, id: string, limits: LedgerLimits): void {
  const send = view.get(sends, id);
  if (!send) return;
  const { now } = view;
  const { record, work } = send;
  const within = (times: { [index: string]: number }, longest: number) =>
    Object.fromEntries(Object.entries(times).map(([index, time]) => [index, Math.min(time, now + longest)]));
  const mended = { ...record };
  if (record.state === 'draft' && record.createdAt > now) mended.expiresAt = now;
  if (record.state === 'expired' && (record.endedAt ?? 0) > now) mended.endedAt = now;
  const isOpen = record.state === 'running' || record.state === 'paused';
  // How long nobody worked on such a job can't be known: it waits for a person, with a time that can't be.
  if (isOpen && (record.servedAt ?? 0) > now) mended.servedAt = now + CANT_BE_MS;
  const isFromFuture = (record.decidedAt ?? 0) > now;
  const staleAt = isFromFuture && work.staleAt !== undefined ? Math.min(work.staleAt, now) : work.staleAt;
  for (const index of [...Object.keys(work.back), ...Object.keys(work.flying)]) {
    mendChunk(view, { send: id, index: Number(index) }, limits);
  }
  view.put(sends, id, {
    ...send,
    record: mended,
    work: {
      ...work,
      back: within(work.back, LONGEST_WAIT_MS),
      flying: within(work.flying, limits.leaseMs),
      ...(staleAt === undefined ? {} : { staleAt }),
    },
  });
}

/** The same for what is unknown: until a deadline that lies too far ahead it could be neither judged nor resent. */
export function mendUnknowns(view: View, limits: LedgerLimits): void {
  const fromFuture = { ...startingWith([]), from: keyText([view.now]) };
  const found = [
    ...view.list(chunks, 'undecided', fromFuture),
    ...view.list(chunks, 'unexplained', startingWith([])),
  ];
  for (const { id } of found) mendChunk(view, refOf(id), limits);
}

function mendChunk(view: View, ref: ChunkRef, { leaseMs }: LedgerLimits): void {
  const was = view.get(chunks, nameOf(ref));
  if (!was) return;
  const { deadline = 0, notBefore = 0 } = was;
  const [latest, longest] = [view.now + leaseMs, view.now + LONGEST_WAIT_MS];
  if (deadline <= latest && notBefore <= longest) return;
  const is: ChunkDocument = {
    ...was,
    ...(deadline > latest ? { deadline: latest } : {}),
    ...(notBefore > longest ? { notBefore: longest } : {}),
  };
  view.put(chunks, nameOf(ref), is);
  if (is.account !== undefined) followChunk(view, is.account, ref, was, is);
}
