import { at } from '../store/collection.ts';
import { startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { followChunk, noteActivity } from './accounts.ts';
import { moved, nextOf } from './chunk-moves.ts';
import {
  accounts,
  type ChunkDocument,
  chunks,
  lanes,
  nameOf,
  type SendDocument,
  sends,
} from './documents.ts';
import type { ChunkRef, LedgerLimits, Taken, TakeRequest, Wait } from './ledger.ts';
import { LONGEST_WAIT_MS, laneAt, waitFor, withPermit } from './permits.ts';
import { documentOf, findChunk, recordOf } from './reading.ts';
import { countOf, recounted } from './tally.ts';
import { awaySince, STALE_AFTER_MS } from './transitions.ts';

/** Sends of which one is likely to be ready. */
const AT_ONCE = 16;

/**
 * Permit and intent in one step: pending → sending, or neither. A job's chunk comes without its messages, unless it was
 * taken before: they never change, and reading them first would lose the step to others.
 */
export function take(view: View, request: TakeRequest, limits: LedgerLimits): Taken {
  const { instance, lane: laneId, account, audience, token } = request;
  view.need(at(lanes, laneId), at(accounts, account));
  const look = audience === 'interactive' ? nextSingle : nextOfJobs;
  // What was listed lately saves a trip. It can't say that nothing is ready.
  const recent = look(view, instance, true);
  const next = recent && 'send' in recent ? recent : look(view, instance, false);
  const lane = laneAt(view.get(lanes, laneId), view.now, limits);
  const held = lane.held[token];
  if (held) return attemptOf(view, held.attempt, token);

  if (!next) return { kind: 'idle' };
  if ('until' in next) return { kind: 'wait', until: next.until };
  const { send, index } = next;
  if (audience === 'background') {
    const since = awaySince(send.record, view.now);
    if (since !== undefined) return { kind: 'away', send: send.record, since };
  }
  const wait = waitFor(lane, audience, limits);
  if (wait) {
    if (audience === 'interactive') excuseWait(view, instance, wait);
    return wait;
  }

  const ref: ChunkRef = { send: send.record.id, index };
  const was = documentOf(view, send, ref);
  const { notBefore: _over, ...rest } = was;
  const is: ChunkDocument = {
    ...rest,
    state: 'sending',
    token,
    attempt: was.attempt + 1,
    deadline: view.now + limits.leaseMs,
    account,
    lane: laneId,
  };
  const family = send.work.families[was.root];
  const work = moved(send.work, index, is);
  const after: SendDocument = {
    ...send,
    record: { ...send.record, servedAt: view.now },
    work: family
      ? { ...work, families: { ...work.families, [was.root]: { ...family, requests: family.requests + 1 } } }
      : work,
    tally: recounted(send.tally, was, is),
  };
  view.put(lanes, laneId, withPermit(lane, token, view.now, limits, ref));
  view.getUnlikely(chunks, nameOf(ref));
  view.put(chunks, nameOf(ref), is);
  view.put(sends, ref.send, after);
  followChunk(view, account, ref, was, is);
  noteActivity(view, account);
  const areMore = next.areMore || countOf(after.tally, 'pending').chunks > 0;
  return { kind: 'taken', send: after.record, chunk: recordOf(ref, is, send.messages ?? []), areMore };
}

/** The attempt that a token holds already. */
function attemptOf(view: View, ref: ChunkRef | undefined, token: string): Taken {
  const found = ref && findChunk(view, ref);
  if (found?.record.state !== 'sending' || found.record.token !== token) {
    throw new Error('this token has a permit already, and no attempt');
  }
  return { kind: 'taken', send: found.send.record, chunk: found.record, areMore: true };
}

/** `areMore`: whether another send waits. */
type Next = { send: SendDocument; index: number; areMore: boolean } | { until: number } | undefined;

/** The single send that was confirmed first, of those that do not wait. */
function nextSingle(view: View, instance: string, isRecent: boolean): Next {
  for (let limit = AT_ONCE; ; limit *= 4) {
    const listed = view.list(sends, 'work', startingWith(['single', instance]), { limit, isRecent });
    const waits: number[] = [];
    for (const { value: send } of listed) {
      if ((send.work.staleAt ?? 0) <= view.now) continue;
      const next = nextOf(send, view.now);
      if (next && 'index' in next) {
        return { send, index: next.index, areMore: listed.length > 1 };
      }
      if (next) waits.push(next.until);
    }
    if (listed.length === limit) continue;
    return waits.length > 0 ? { until: Math.min(...waits) } : undefined;
  }
}

/** The next chunk of the job that was served longest ago and whose breaker has room. */
function nextOfJobs(view: View, instance: string, isRecent: boolean): Next {
  const waits: number[] = [];
  const listed = view.list(sends, 'work', startingWith(['job', instance]), { isRecent });
  for (const { value: send } of listed) {
    const next = nextOf(send, view.now);
    if (!next) continue;
    const flying = Object.values(send.work.flying);
    const isFull = flying.length >= send.record.inFlightLimit;
    if ('index' in next && !isFull) return { send, index: next.index, areMore: listed.length > 1 };
    waits.push('until' in next ? next.until : Math.min(...flying));
  }
  return waits.length > 0 ? { until: Math.min(...waits) } : undefined;
}

/** Single sends that wait for a permit, or while their key rests, are not given up for it, within reason. */
export function excuseWait(view: View, instance: string, { until }: Pick<Wait, 'until'>): void {
  for (const { id, value: send } of view.list(sends, 'work', startingWith(['single', instance]))) {
    const { staleAt = 0 } = send.work;
    const to = Math.min(until + STALE_AFTER_MS, (send.record.decidedAt ?? 0) + LONGEST_WAIT_MS);
    if (to > staleAt) view.put(sends, id, { ...send, work: { ...send.work, staleAt: to } });
  }
}
