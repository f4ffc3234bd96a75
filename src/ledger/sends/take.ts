import { startingWith } from '../../store/keys.ts';
import type { View } from '../../store/view.ts';
import { accounts } from '../accounts/account-documents.ts';
import { countActivity, putChunk } from '../accounts/accounts.ts';
import type { TakeRequest, TakeResult, Wait } from '../model/attempt-types.ts';
import { breakerOf } from '../model/breaker.ts';
import type { ChunkDocument } from '../model/chunk-documents.ts';
import { nextReadyChunk, withChunkChanged } from '../model/chunk-progress.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { LedgerLimits } from '../model/ledger-limits.ts';
import { chunkDocumentOf, chunkRecordOf, findChunk } from '../model/read-chunks.ts';
import { type SendDocument, sends } from '../model/send-documents.ts';
import { beginOf, STALE_AFTER_MS, unattendedSince } from '../model/send-states.ts';
import { countOf } from '../model/tally.ts';
import { announceTopics } from '../outbox/announce.ts';
import { keyPermits, permitsOfKey } from '../permits/permit-documents.ts';
import { LONGEST_WAIT_MS, permitOf, permitWait, withPermit } from '../permits/rate-limit.ts';
import { putSend } from '../rules/put-send.ts';

/** How many single texts a take looks at first: one of them is probably ready. */
const LIKELY_READY = 16;

/**
 * Permit and intent in one step (pending → sending), or neither. If the token has an attempt already, returns that
 * attempt, with its old deadline. A job's chunk comes without its messages, unless the token took it before. Messages
 * never change, and while this step read them, other bots could win.
 */
export function take(view: View, request: TakeRequest, limits: LedgerLimits): TakeResult {
  const { rateLimitKey, account, priority, token } = request;
  view.prefetch(keyPermits, rateLimitKey);
  view.prefetch(accounts, account);
  // A recent list saves a trip, but does not prove that nothing is ready.
  const recent = nextChunk(view, request, { allowCached: true });
  const next = recent && 'send' in recent ? recent : nextChunk(view, request, { allowCached: false });
  const permits = permitsOfKey(view, rateLimitKey, limits);
  const held = permitOf(permits, token);
  if (held) {
    // Write the permits again, so that the replicas confirm them: a read alone may show data that no replica has.
    view.put(keyPermits, rateLimitKey, permits);
    return heldAttempt(view, held.attempt, token);
  }

  const wait = permitWait(permits, priority, limits);
  // Skipped texts wait for the key as well.
  const isLive = next ? !('until' in next) : request.skipTextsUntil !== undefined;
  if (wait && priority === 'interactive' && isLive) extendGiveUp(view, request.instance, wait);
  if (!next) return { kind: 'idle' };
  if ('until' in next) return { kind: 'wait', until: next.until };
  const { send, index } = next;
  if (priority === 'background') {
    const since = unattendedSince(send.record, view.now);
    if (since !== undefined) {
      // Read the send in this step: the answer counts only if nobody has changed it meanwhile.
      view.get(sends, send.record.id);
      return { kind: 'unattended', send: send.record, since };
    }
  }
  if (wait) return wait;
  const attempt: ChunkRef = { send: send.record.id, index };
  view.put(keyPermits, rateLimitKey, withPermit(permits, token, { now: view.now, limits, attempt }));
  return writeIntent(view, next, request, view.now + limits.leaseMs);
}

function heldAttempt(view: View, ref: ChunkRef | undefined, token: string): TakeResult {
  const found = ref && findChunk(view, ref);
  if (found?.record.state !== 'sending' || found.record.token !== token) {
    throw new Error('this token has a permit already, but no attempt');
  }
  return { kind: 'taken', send: found.send.record, chunk: found.record, areMore: true };
}

/** pending → sending. `deadline`: until when the attempt may act. */
function writeIntent(
  view: View,
  { send, index, areMore }: ReadyChunk,
  { rateLimitKey, account, token }: TakeRequest,
  deadline: number,
): TakeResult {
  const ref: ChunkRef = { send: send.record.id, index };
  const was = chunkDocumentOf(view, send, ref);
  const { notBefore: _spent, ...rest } = was;
  const is: ChunkDocument = {
    ...rest,
    state: 'sending',
    token,
    attempt: was.attempt + 1,
    deadline,
    account,
    rateLimitKey,
  };
  // Before that, the balance proved that the store lacks no request.
  const { ifUndone: _over, mayLackRequests: _proven, ...record } = send.record;
  const after: SendDocument = {
    ...withChunkChanged(send, index, was, is),
    record: record.kind === 'job' ? { ...record, servedAt: view.now } : record,
  };
  putChunk(view, ref, was, is);
  putSend(view, ref.send, after);
  countActivity(view, account);
  // Post the job's card again: it offered Undo until now.
  const isBegun = record.kind === 'job' && record.startsAt !== undefined && send.work.next === 0;
  if (isBegun) announceTopics(view, record);
  const chunk = chunkRecordOf(ref, is, send.messages ?? []);
  const hasMore = areMore || countOf(after.tally, 'pending').chunks > 0;
  return { kind: 'taken', send: after.record, chunk, areMore: hasMore };
}

/** A chunk that may be taken. `areMore`: whether another send waits. */
interface ReadyChunk {
  send: SendDocument;
  index: number;
  areMore: boolean;
}

/**
 * The next chunk of an instance: of the single text that was decided first, or of the job served longest ago whose breaker
 * has room. If all must wait, until when.
 */
function nextChunk(
  view: View,
  { instance, priority, skipTextsUntil = 0 }: TakeRequest,
  { allowCached }: { allowCached: boolean },
): ReadyChunk | { until: number } | undefined {
  const isText = priority === 'interactive';
  const of = startingWith([isText ? 'single' : 'job', instance]);
  for (let limit = isText ? LIKELY_READY : Number.MAX_SAFE_INTEGER; ; limit *= 4) {
    const listed = view.list(sends, 'work', of, { limit, allowCached });
    const waits: number[] = [];
    for (const { value: send } of listed) {
      const { record, work } = send;
      if (isText && ((work.staleAt ?? 0) <= view.now || beginOf(record) <= skipTextsUntil)) continue;
      const next = nextReadyChunk(send, view.now);
      if (!next) continue;
      const inFlight = Object.values(work.inFlight ?? {});
      const isFull = inFlight.length >= breakerOf(record).inFlightLimit;
      if ('index' in next && !isFull) return { send, index: next.index, areMore: listed.length > 1 };
      waits.push('until' in next ? next.until : Math.min(...inFlight));
    }
    if (listed.length < limit) return waits.length > 0 ? { until: Math.min(...waits) } : undefined;
  }
}

/**
 * Gives single sends more time while they wait for a permit or a resting key: `LONGEST_WAIT_MS` at most. A send whose
 * time is over gets none, but for `turnedAway`, which just got a 429.
 */
export function extendGiveUp(
  view: View,
  instance: string,
  { until }: Pick<Wait, 'until'>,
  turnedAway?: string,
): void {
  for (const { id, value: send } of view.list(sends, 'work', startingWith(['single', instance]))) {
    const { staleAt = 0 } = send.work;
    const to = Math.min(until + STALE_AFTER_MS, beginOf(send.record) + LONGEST_WAIT_MS);
    const isLive = staleAt > view.now || id === turnedAway;
    if (isLive && to > staleAt) putSend(view, id, { ...send, work: { ...send.work, staleAt: to } });
  }
}
