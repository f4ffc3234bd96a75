import type { ChunkRecord, ChunkRef, Settlement } from '../ledger.ts';
import type { Family } from '../transitions.ts';
import { insertChunk, type NewChunk, nextIndex } from './chunks.ts';
import type { Context } from './context.ts';

/** The family of a chunk: the one that was drafted, and all that it was split into since. */
export function familyOf(context: Context, ref: ChunkRef): Family {
  const row = context.db
    .sql(
      `SELECT sum(attempt - never_started) AS requests, sum(state IN ('pending', 'sending') AND idx <> ?) AS open
       FROM chunks INDEXED BY chunks_root WHERE send = ? AND root = ?`,
    )
    .get(ref.index, ref.send, rootOf(context, ref));
  return { requests: Number(row?.requests), open: Number(row?.open) };
}

function rootOf({ db }: Context, ref: ChunkRef): number {
  const row = db.sql('SELECT root FROM chunks WHERE send = ? AND idx = ?').get(ref.send, ref.index);
  return Number(row?.root);
}

/** Writes what a split chunk becomes: children that go on, or parts that have their outcome already. */
export function insertChildren(context: Context, chunk: ChunkRecord, settlement: Settlement): void {
  const children = childrenOf(chunk, settlement);
  if (children.length === 0) return;
  const root = rootOf(context, chunk);
  const first = nextIndex(context, chunk.send);
  for (const [offset, child] of children.entries()) {
    insertChunk(context, {
      ...child,
      send: chunk.send,
      index: first + offset,
      parent: chunk.index,
      root,
    });
  }
}

function childrenOf(
  { account, resentAs, saidSentBy, settledAt }: ChunkRecord,
  settlement: Settlement,
): Omit<NewChunk, 'send' | 'index'>[] {
  if (settlement.to === 'split') {
    return settlement.children.map((messages) => ({ state: 'pending', messages }));
  }
  if (settlement.to !== 'parted') return [];
  return settlement.parts.map((part) => ({
    ...part,
    ...(account === undefined ? {} : { account }),
    ...(settledAt === undefined ? {} : { settledAt }),
    ...(part.state !== 'unknown' || resentAs === undefined ? {} : { resentAs }),
    ...(part.state !== 'unknown' || saidSentBy === undefined ? {} : { saidSentBy }),
  }));
}
