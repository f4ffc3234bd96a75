import { addressOf } from '../store/collection.ts';
import { startingWith } from '../store/keys.ts';
import type { View } from '../store/view.ts';
import { announceRequest, requestOf, whyNotDecided } from './approvals.ts';
import type { PeriodAsked } from './budget-types.ts';
import { openPeriods, overBudget, prefetchBudget, putSend } from './budgets.ts';
import { type ChunkDocument, chunkIdOf, chunks, type SendDocument, sends, texts } from './documents.ts';
import { countHeldBack } from './held-back.ts';
import { announce, announceTopics } from './outbox.ts';
import type { FoundChunk } from './read-chunks.ts';
import { claimWords, sameWords } from './repeat-guard.ts';
import { firstTime, isRepeat } from './repeats.ts';
import { chunkSizeAt, firstChunks, withSizesAdded } from './sizes.ts';
import { emptyCounts, withChunkRecounted, withCountAdded } from './tally.ts';
import {
  BREAKER_INITIAL_LIMIT,
  beginOf,
  decideDraft,
  isUndecidedSend,
  STALE_AFTER_MS,
  withDetails,
} from './transitions.ts';
import type {
  Decision,
  DecisionResult,
  DraftRepeats,
  LedgerMessage,
  LeftOut,
  LeftOutPart,
  NewSend,
  SameWords,
  SendRecord,
} from './types.ts';
import { claimResends, findResends } from './unknowns.ts';

/** Writes a send and its chunks as a draft; not where it was asked for before. @throws Error where there is one of that id */
export function draft(view: View, send: NewSend): void {
  const { chunks: lists, expiresInMs, once, ...rest } = send;
  if (once && !firstTime(view, once)) return;
  if (view.getAssumingAbsent(sends, send.id)) throw new Error(`there is a send ${send.id} already`);
  const empty: SendDocument = {
    record: {
      ...rest,
      state: 'draft',
      createdAt: view.now,
      expiresAt: view.now + expiresInMs,
      inFlightLimit: BREAKER_INITIAL_LIMIT,
      unknownRun: 0,
    },
    work: { chunks: 0, drafted: 0, next: 0, back: {}, inFlight: {}, splitBudgets: {} },
    tally: emptyCounts(),
  };
  const [only] = lists;
  if (send.kind === 'single' && lists.length === 1 && only) {
    putSend(view, send.id, { ...withChunks(empty, lists), messages: only });
  } else append(view, empty, lists);
}

/**
 * Adds chunks to a draft; with `repeats` such as a decision takes in or leaves out.
 * @throws Error where it is no draft, or has messages that are left out
 */
export function appendChunks(view: View, id: string, lists: LedgerMessage[][], repeats?: DraftRepeats): void {
  const send = draftOfJob(view, id);
  if (send.work.chunks > send.work.drafted) throw new Error(`the draft ${id} has its last chunks already`);
  append(view, repeats ? withRepeats(send, lists.length, repeats) : send, lists);
}

function withRepeats(send: SendDocument, count: number, { details, keeps }: DraftRepeats): SendDocument {
  const { record, work } = send;
  return {
    ...send,
    record: { ...withDetails(record, details), keeps },
    work: { ...work, repeated: (work.repeated ?? 0) + count },
  };
}

/** Adds messages that are not sent. The look-up by number leaves them out: nobody meant to text them. */
export function appendLeftOut(view: View, id: string, parts: LeftOutPart[]): void {
  let send = draftOfJob(view, id);
  for (const { messages, ...why } of parts) {
    const index = send.work.chunks;
    view.put(texts, chunkIdOf({ send: id, index }), messages);
    const { work } = send;
    send = {
      ...send,
      work: { ...work, chunks: work.chunks + 1 },
      tally: withLeftOut(view, send, { index, size: messages.length, why }),
    };
  }
  putSend(view, id, send);
}

/** Writes a chunk that is not sent; the counts of its send with it. */
function withLeftOut(
  view: View,
  { record: { id: send }, tally }: SendDocument,
  { index, size, why }: { index: number; size: number; why: LeftOut },
): SendDocument['tally'] {
  const chunk: ChunkDocument = {
    ...{ ...why, state: 'not_sent', attempt: 0, refusals: 0, settledAt: view.now, listed: 'n' },
    ...{ size, root: index },
  };
  view.getAssumingAbsent(chunks, chunkIdOf({ send, index }));
  view.put(chunks, chunkIdOf({ send, index }), chunk);
  return withChunkRecounted(tally, undefined, chunk);
}

function draftOfJob(view: View, id: string): SendDocument {
  const send = view.get(sends, id);
  if (send?.record.state !== 'draft') throw new Error(`the send ${id} is no draft any more`);
  if (send.messages) throw new Error(`the send ${id} is a single text`);
  return send;
}

function append(view: View, send: SendDocument, lists: LedgerMessage[][]): void {
  const { id } = send.record;
  for (const [offset, messages] of lists.entries()) {
    view.put(texts, chunkIdOf({ send: id, index: send.work.chunks + offset }), messages);
  }
  const { chunks, sizes = chunks === 0 ? [] : undefined } = send.work;
  const after = withChunks(send, lists);
  const sized = sizes ? { sizes: withSizesAdded(sizes, lists) } : {};
  putSend(view, id, { ...after, work: { ...after.work, ...sized } });
}

function withChunks(send: SendDocument, lists: LedgerMessage[][]): SendDocument {
  const { work, tally } = send;
  const messages = lists.reduce((sum, { length }) => sum + length, 0);
  const count = work.chunks + lists.length;
  return {
    ...send,
    work: { ...work, chunks: count, drafted: count },
    tally: withCountAdded(tally, 'pending', { chunks: lists.length, messages }),
  };
}

/** The one decision on a draft, or on a request for approval; its expiry, and a resend's claim on the unknown chunks, count in the same step. */
export function decide(view: View, id: string, decision: Decision): DecisionResult {
  const { budget } = decision;
  prefetchBudget(view, budget?.periods.map(idOfPeriod));
  const found = view.get(sends, id);
  if (!found) return { won: false, why: 'missing' };
  const { record } = found;
  if (record.state === 'expired') return { won: false, why: 'expired', send: record };
  if (!isUndecidedSend(record.state)) return { won: false, why: 'decided', send: record };
  if (view.now >= record.expiresAt) {
    const expired = expire(view, found);
    return { won: false, why: 'expired', send: expired.record };
  }
  if (decision.once && isRepeat(view, decision.once)) return { won: false, why: 'repeated', send: record };
  const against = whyNotDecided(record, decision);
  if (against) return { won: false, why: against, send: record };
  view.commitBefore(record.expiresAt);
  if (decision.to === 'awaiting_approval') {
    if (decision.once) firstTime(view, decision.once);
    const request = requestOf(record, decision, view.now);
    putSend(view, id, { ...found, record: request });
    announceRequest(view, request);
    return { won: true, send: request };
  }
  if (decision.to !== 'running') {
    if (decision.once) firstTime(view, decision.once);
    const decided = forgetChunks(view, { ...found, record: decideDraft(record, decision, view.now) });
    putSend(view, id, decided);
    if (decision.to === 'cancelled' && record.isAsked) countHeldBack(view, record, 1);
    announceRequest(view, decided.record);
    return { won: true, send: decided.record };
  }
  // Nothing would ever end it.
  if (sentChunks(found, decision) === 0) throw new Error(`the draft ${id} holds nothing to send`);
  const same = decision.words && repeated(view, record, decision.words);
  if (same) {
    const send: SendRecord = { ...record, isAsked: true };
    if (!record.isAsked) putSend(view, id, { ...found, record: send });
    return { won: false, why: 'same_words', same, send };
  }
  const again = record.resends && findResends(view, record.resends);
  // Without a mark: whoever pressed hears why.
  if (typeof again === 'string') return { won: false, why: again, send: record };
  const over = budget && !decision.approval?.exceptBudget && overBudget(view, budget, releasedBy(again));
  if (over) return { won: false, why: 'over_budget', over, send: record };
  if (again) claimResends(view, again, id);
  if (decision.once) firstTime(view, decision.once);
  const chosen = withRepeatsDecided(view, found, decision);
  const decided = decideDraft(chosen.record, decision, view.now);
  const staleAt = record.kind === 'single' ? { staleAt: beginOf(decided) + STALE_AFTER_MS } : {};
  putSend(view, id, {
    ...{ ...chosen, record: decided, work: { ...chosen.work, ...staleAt } },
    ...(budget && { budget: openPeriods(view, chosen, budget) }),
  });
  if (decision.announces) announce(view, decision.announces);
  if (decision.words) claimWords(view, decided, decision.words);
  announceRequest(view, decided);
  return { won: true, send: decided };
}

/** How many chunks go, by this decision. */
function sentChunks({ work: { drafted, repeated = 0 } }: SendDocument, { repeats }: Decision): number {
  return repeats === 'include' ? drafted : drafted - repeated;
}

/** A list with its repeats, which then go whoever sent the words before; or without them: they are not sent. */
function withRepeatsDecided(view: View, send: SendDocument, decision: Decision): SendDocument {
  const { repeated, ...work } = send.work;
  if (repeated === undefined) return send;
  const kept = work.drafted - repeated;
  const { repeats } = decision;
  if (repeats === 'include') return { ...send, record: { ...send.record, repeatsFrom: kept }, work };
  if (!repeats) throw new Error(`the decision on ${send.record.id} does not say what becomes of its repeats`);
  const { sizes = [] } = work;
  let { tally } = send;
  let messages = 0;
  for (let index = kept; index < work.drafted; index += 1) {
    const size = chunkSizeAt(sizes, index) ?? 0;
    tally = withLeftOut(view, { ...send, tally }, { index, size, why: repeats });
    messages += size;
  }
  countHeldBack(view, send.record, messages);
  return {
    ...send,
    work: { ...work, drafted: kept, sizes: firstChunks(sizes, kept) },
    tally: withCountAdded(tally, 'pending', { chunks: -repeated, messages: -messages }),
  };
}

/** The send that the person must be asked about first. Whoever sends an unknown text again was asked already. */
function repeated(
  view: View,
  { id, team, resends }: SendRecord,
  { hash, allowed }: NonNullable<Decision['words']>,
): SameWords | undefined {
  const same = resends ? undefined : sameWords(view, team, hash, id);
  return same?.send === allowed ? undefined : same;
}

function idOfPeriod({ id: period }: PeriodAsked): string {
  return period;
}

/** What a send that is repeated lets go of. */
function releasedBy(again: FoundChunk[] | undefined) {
  const [first] = again ?? [];
  return first && again && { send: first.send, chunks: again.map(({ document }) => document) };
}

/** Requests for approval of a workspace, oldest first. */
export function awaitingApproval(view: View, team: string): SendRecord[] {
  return view.list(sends, 'awaiting', startingWith([team])).map(({ value }) => value.record);
}

/** Expires the drafts of a channel; says how many. */
export function expireDrafts(view: View, team: string, channelId: string): number {
  const drafts = view.list(sends, 'drafts', startingWith([team, channelId]));
  for (const { value } of drafts) expire(view, value);
  return drafts.length;
}

/** draft or awaiting_approval → expired, without its chunks; whoever was shown it reads of that. */
export function expire(view: View, send: SendDocument): SendDocument {
  const { id } = send.record;
  const expired = forgetChunks(view, {
    ...send,
    record: { ...send.record, state: 'expired', endedAt: view.now },
  });
  putSend(view, id, expired);
  if (send.record.isAsked) countHeldBack(view, send.record, 1);
  // Of a request its own row tells all who have to know.
  if (expired.record.approval) announceRequest(view, expired.record);
  else announceTopics(view, expired.record);
  return expired;
}

/** Nobody needs to keep a list of recipients who were never written to. */
export function forgetChunks(view: View, send: SendDocument): SendDocument {
  const { messages, ...rest } = send;
  const { id } = send.record;
  const { chunks: count, drafted } = send.work;
  const names = Array.from({ length: messages ? 0 : count }, (_, index) => chunkIdOf({ send: id, index }));
  // Only those that are left out have a document yet.
  const leftOut = names.slice(drafted);
  view.prefetch(...leftOut.map((name) => addressOf(chunks, name)));
  for (const name of leftOut) if (view.get(chunks, name)) view.delete(chunks, name);
  for (const name of names) view.delete(texts, name);
  return { ...rest, work: { ...send.work, chunks: 0, drafted: 0, sizes: [] }, tally: emptyCounts() };
}
