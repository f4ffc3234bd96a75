import { at } from '../store/collection.ts';
import type { View } from '../store/view.ts';
import { followChunk, noteActivity, noteReceipt, noteSpent } from './accounts.ts';
import { isOpen, moved, withFamily } from './chunk-moves.ts';
import { closed } from './closing.ts';
import {
  accounts,
  type ChunkDocument,
  chunks,
  lanes,
  nameOf,
  type SendDocument,
  sends,
  texts,
  type Work,
} from './documents.ts';
import type { ChunkRecord, ChunkRef, LedgerLimits, LedgerMessage, Settled, Settlement } from './ledger.ts';
import { afterRequest, isTurnedAway, laneAt } from './permits.ts';
import { findChunk } from './reading.ts';
import { excuseWait } from './take.ts';
import { recounted } from './tally.ts';
import { applySettlement, type Family } from './transitions.ts';

/** Ends an attempt: chunk, breaker, permit, credits, the send's end and its announcements in one step. */
export function settle(
  view: View,
  ref: ChunkRef,
  token: string,
  asked: Settlement,
  limits: LedgerLimits,
): Settled {
  const found = findChunk(view, ref);
  if (!found) return { settled: false };
  const { send, document: was, record } = found;
  const { account, lane: laneId } = was;
  if (was.token !== token || account === undefined || laneId === undefined) return { settled: false };
  view.need(at(lanes, laneId), at(accounts, account));
  const lane = laneAt(view.get(lanes, laneId), view.now, limits);
  const family = familyOf(send, was);
  const applied = applySettlement(send.record, record, asked, {
    token,
    now: view.now,
    family: { requests: family.requests, open: family.open - (isOpen(was.state) ? 1 : 0) },
    rests: lane.restsUntil !== undefined,
  });
  if (!applied) return { settled: false };
  if (!applied.changed) return { settled: true, send: send.record, chunk: record };

  const { settlement } = applied;
  const neverStarted = (was.neverStarted ?? 0) + (settlement.request === 'never_started' ? 1 : 0);
  const is: ChunkDocument = {
    ...documentFrom(was, applied.chunk),
    ...(neverStarted > 0 ? { neverStarted } : {}),
  };
  view.put(chunks, nameOf(ref), is);
  let after: SendDocument = {
    ...send,
    record: applied.send,
    work: moved(send.work, ref.index, is),
    tally: recounted(send.tally, was, is),
  };
  const children = is.state === 'split' ? childrenOf(applied.chunk, settlement) : [];
  after = { ...after, work: familyMoved(after.work, was, is, settlement, children, family) };
  for (const child of children) after = withChild(view, after, ref, is, child);

  const rested = afterRequest(lane, token, settlement.request, view.now, limits);
  view.put(lanes, laneId, rested);
  followChunk(view, account, ref, was, is);
  noteActivity(view, account);
  if ('receipt' in settlement) {
    const { receipt } = settlement;
    noteReceipt(view, account, receipt, was.evidence !== undefined);
    noteSpent(view, send, { credits: receipt.creditsUsed, messages: sentBy(record, settlement) });
    after = {
      ...after,
      tally: { ...after.tally, creditsUsed: after.tally.creditsUsed + receipt.creditsUsed },
    };
  }
  after = closed(view, after);
  view.put(sends, ref.send, after);
  if (isTurnedAway(settlement.request) && rested.restsUntil !== undefined) {
    excuseWait(view, send.record.instance, { until: rested.restsUntil });
  }
  return { settled: true, send: after.record, chunk: applied.chunk };
}

/** A chunk's document after a settlement: what is kept beside the record stays. */
function documentFrom({ size, root, lane }: ChunkDocument, record: ChunkRecord): ChunkDocument {
  const { send: _send, index: _index, messages: _messages, ...rest } = record;
  return { ...rest, size, root, ...(lane === undefined ? {} : { lane }) };
}

/** What a drafted chunk and all that descends from it took so far; `open` counts the chunk itself. */
function familyOf({ work }: SendDocument, { root, attempt, neverStarted = 0, state }: ChunkDocument): Family {
  return work.families[root] ?? { requests: attempt - neverStarted, open: isOpen(state) ? 1 : 0 };
}

function familyMoved(
  work: Work,
  was: ChunkDocument,
  is: ChunkDocument,
  settlement: Settlement,
  children: Child[],
  family: Family,
): Work {
  const isNew = work.families[was.root] === undefined;
  const added = children.filter(({ state }) => isOpen(state)).length;
  if (isNew && added === 0) return work;
  const closing = isOpen(was.state) && !isOpen(is.state) ? 1 : 0;
  return withFamily(work, was.root, {
    requests: family.requests - (settlement.request === 'never_started' ? 1 : 0),
    open: family.open - closing + added,
  });
}

/** A chunk that another one becomes. */
type Child = Pick<ChunkDocument, 'state'> & Partial<ChunkDocument> & { messages: LedgerMessage[] };

/** What a split chunk becomes: children that go on, or parts that have their outcome already. */
function childrenOf(chunk: ChunkRecord, settlement: Settlement): Child[] {
  if (settlement.to === 'split') {
    return settlement.children.map((messages) => ({ state: 'pending', messages }));
  }
  if (settlement.to !== 'parted') return [];
  const { account, resentAs, saidSentBy, settledAt } = chunk;
  return settlement.parts.map((part) => ({
    ...part,
    ...(account === undefined ? {} : { account }),
    ...(settledAt === undefined ? {} : { settledAt }),
    ...(part.state !== 'unknown' || resentAs === undefined ? {} : { resentAs }),
    ...(part.state !== 'unknown' || saidSentBy === undefined ? {} : { saidSentBy }),
  }));
}

/** The send with one more chunk. */
function withChild(
  view: View,
  send: SendDocument,
  parent: ChunkRef,
  { root }: ChunkDocument,
  { messages, ...child }: Child,
): SendDocument {
  const ref: ChunkRef = { send: parent.send, index: send.work.chunks };
  const size = messages.length;
  const document: ChunkDocument = { attempt: 0, refusals: 0, ...child, size, root, parent: parent.index };
  view.getUnlikely(chunks, nameOf(ref));
  view.put(chunks, nameOf(ref), document);
  view.put(texts, nameOf(ref), messages);
  if (document.account !== undefined) followChunk(view, document.account, ref, undefined, document);
  return {
    ...send,
    work: moved({ ...send.work, chunks: send.work.chunks + 1 }, ref.index, document),
    tally: recounted(send.tally, undefined, document),
  };
}

function sentBy(chunk: ChunkRecord, settlement: Settlement): number {
  if (settlement.to === 'sent') return chunk.messages.length;
  if (settlement.to !== 'parted') return 0;
  return settlement.parts
    .filter(({ state }) => state === 'sent')
    .reduce((sum, { messages }) => sum + messages.length, 0);
}
