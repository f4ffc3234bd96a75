import { startingWith, upTo } from '../../store/keys.ts';
import type { ListedDocument, View } from '../../store/view.ts';
import { putChunk } from '../accounts/accounts.ts';
import { type ChunkDocument, chunkIdOf, chunks, isUnlisted, texts } from '../model/chunk-documents.ts';
import type { ChunkRef } from '../model/chunk-record.ts';
import type { Json } from '../model/json.ts';
import { indexesFrom, prefetchChunks, wasNeverTaken } from '../model/read-chunks.ts';
import { endOf, type RetentionProgress, type SendDocument, sends } from '../model/send-documents.ts';
import type { SendRecord } from '../model/send-record.ts';
import { hasEnded } from '../model/send-states.ts';
import { isUndecided } from '../model/unknown-chunks.ts';
import { rowIdOf, topicsOf } from '../outbox/announce.ts';
import { outbox } from '../outbox/outbox-documents.ts';
import { putSend } from '../rules/put-send.ts';

/** Picks what stays of a forgotten send. Core knows what details and results mean. */
export interface Remains {
  details(send: Pick<SendRecord, 'kind' | 'details'>): Json;
  result(result: Json): Json;
  /** What an unknown chunk without evidence gets as evidence: the bot stops looking for it. */
  evidence: Json;
}

/** The most sends, and the most of their chunks, that one step goes through: so few delay no command. */
export const MOST_SENDS = 20;
export const MOST_CHUNKS = 100;

/** The next workspace by id with ended sends that have words or numbers, and when the oldest send ended. */
export function nextKept(view: View, team?: string): { team: string; endedAt: number } | undefined {
  const all = startingWith([]);
  const bounds = team === undefined ? all : { from: startingWith([team]).to, to: all.to };
  const [first] = view.list(sends, 'kept', bounds, { limit: 1 });
  return first && { team: first.value.record.team, endedAt: endOf(first.value.record) };
}

/**
 * Forgets words and numbers of some sends that ended until `endedBefore`, and deletes drafts that nobody sent. Keeps
 * undecided unknown chunks, sends with a waiting message to Slack, and chunks that are not in the look-up yet. Returns
 * on how many sends it worked; 0 if nothing is left to do now.
 */
export function forgetEnded(
  view: View,
  { team, endedBefore, remains }: { team: string; endedBefore: number; remains: Remains },
): number {
  const kept = view.list(sends, 'kept', upTo([team], endedBefore), { limit: MOST_SENDS });
  return forgetEach(view, kept, { remains, withUndecided: false });
}

/** As `forgetEnded`, of all workspaces, but forgets undecided unknown chunks, too. */
export function forgetUndecided(view: View, endedBefore: number, remains: Remains): number {
  const held = view.list(sends, 'held', upTo([], endedBefore), { limit: MOST_SENDS });
  return forgetEach(view, held, { remains, withUndecided: true });
}

interface Rule {
  remains: Remains;
  withUndecided: boolean;
}

function forgetEach(view: View, listed: ListedDocument<SendDocument>[], rule: Rule): number {
  // If a power cut loses this step, the next round forgets the words again.
  view.allowUnsynced();
  for (const { id, value } of listed) {
    view.prefetch(outbox, ...topicsOf(value.record).map((topic) => rowIdOf(topic, id)));
    prefetchChunks(view, value, [0]);
  }
  let room = MOST_CHUNKS;
  let done = 0;
  for (const { value: send } of listed) {
    if (room <= 0 || hasWaitingRow(view, send)) continue;
    const spent = hasEnded(send.record) ? forgetSome(view, send, rule, room) : deleteDraft(view, send);
    room -= spent;
    if (spent > 0) done += 1;
  }
  return done;
}

/** Whether a message to Slack about the send still waits. The bot makes it from the send, so the send must stay. */
export function hasWaitingRow(view: View, { record }: SendDocument): boolean {
  return topicsOf(record).some((topic) => view.get(outbox, rowIdOf(topic, record.id))?.waiting !== undefined);
}

/** Deletes the outbox rows of a send: Slack has them, and no other one follows. */
function deleteRows(view: View, { record }: SendDocument): void {
  for (const topic of topicsOf(record)) view.delete(outbox, rowIdOf(topic, record.id));
}

function deleteDraft(view: View, send: SendDocument): number {
  deleteRows(view, send);
  view.delete(sends, send.record.id);
  return 1;
}

/**
 * Goes through some of its chunks, at most `room`. Returns how many, plus one for the send itself; 0 if the first one
 * is not in the look-up yet.
 */
function forgetSome(view: View, send: SendDocument, rule: Rule, room: number): number {
  const { next = 0, held = [], isDecided = false } = send.retention ?? {};
  const isSecondPass = next >= send.work.chunks;
  const indexes = isSecondPass ? held : indexesFrom(next, send.work.chunks);
  const { done, left } = forgetChunks(view, send, indexes.slice(0, room), rule);
  if (done === 0 && indexes.length > 0) return 0;
  // `isDecided` brings the send here again, for chunks of `held` that somebody has decided.
  const retention: RetentionProgress = isSecondPass
    ? { next, held: [...left, ...held.slice(done)], ...(done < held.length && { isDecided: true }) }
    : { next: next + done, held: [...held, ...left], ...(isDecided && { isDecided }) };
  const isPassed = retention.next >= send.work.chunks;
  const after = isPassed ? forgetSend(view, send, retention, rule.remains) : { ...send, retention };
  putSend(view, send.record.id, after);
  return done + 1;
}

/** Forgets these chunks, up to the first one that is not in the look-up yet. `left`: chunks without a decision. */
function forgetChunks(
  view: View,
  send: SendDocument,
  indexes: number[],
  { remains, withUndecided }: Rule,
): { done: number; left: number[] } {
  const left: number[] = [];
  prefetchChunks(view, send, indexes);
  for (const [done, index] of indexes.entries()) {
    const ref = { send: send.record.id, index };
    const chunk = wasNeverTaken(send, index) ? undefined : view.get(chunks, chunkIdOf(ref));
    if (chunk && isUnlisted(chunk)) return { done, left };
    if (chunk && isUndecided(chunk) && !withUndecided) left.push(index);
    else {
      if (chunk) putForgotten(view, ref, chunk, remains);
      view.delete(texts, chunkIdOf(ref));
    }
  }
  return { done: indexes.length, left };
}

/** The send once retention has been through its chunks: without words, unless a person still needs them. */
export function forgetSend(
  view: View,
  send: SendDocument,
  retention: RetentionProgress,
  remains: Remains,
): SendDocument {
  // A person who decides about a single text needs all of it. Of a job, the chunks in `held` are enough.
  if (retention.held.length > 0 && send.record.kind === 'single') return { ...send, retention };
  const record = { ...send.record, details: remains.details(send.record) };
  if (retention.held.length > 0) return { ...send, record, retention };
  deleteRows(view, send);
  const { messages, erased: _places, ...rest } = send;
  return {
    ...rest,
    ...(messages && { messages: [] }),
    // Its last message to Slack is posted.
    record: { ...record, topics: [] },
    retention,
  };
}

/** Puts the chunk without its attempt and the service's words. The bot no longer seeks evidence for it. */
export function putForgotten(view: View, ref: ChunkRef, was: ChunkDocument, remains: Remains): void {
  const { token: _token, deadline: _deadline, rateLimitKey: _key, result, ...rest } = was;
  const isUnexplained = was.state === 'unknown' && was.evidence === undefined;
  const is: ChunkDocument = {
    ...rest,
    ...(result !== undefined && { result: remains.result(result) }),
    ...(isUnexplained && { evidence: remains.evidence }),
    forgotten: true,
  };
  putChunk(view, ref, was, is);
}
