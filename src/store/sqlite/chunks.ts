import type { ChunkRecord, ChunkRef, ChunkState, LedgerMessage } from '../ledger.ts';
import type { Context } from './context.ts';
import { CHUNKS, chunkOf } from './rows.ts';

/** One chunk, if there is one. */
export function findChunk({ db }: Context, ref: ChunkRef): ChunkRecord | undefined {
  const row = db.sql(`${CHUNKS} WHERE send = ? AND idx = ?`).get(ref.send, ref.index);
  return row && chunkOf(row);
}

/** A send's chunks in order, or a part of them. */
export function chunksOf(
  { db }: Context,
  id: string,
  { from = 0, limit = -1, state }: { from?: number; limit?: number; state?: ChunkState } = {},
): ChunkRecord[] {
  return db
    .sql(`${CHUNKS} WHERE send = ?1 AND idx >= ?2 AND (?3 IS NULL OR state = ?3) ORDER BY idx LIMIT ?4`)
    .all(id, from, state ?? null, limit)
    .map(chunkOf);
}

/** A chunk to be written. `root`: the drafted chunk that it descends from, if it was not drafted itself. */
export interface NewChunk
  extends Pick<ChunkRecord, 'send' | 'index' | 'state' | 'messages'>,
    Partial<
      Pick<
        ChunkRecord,
        'parent' | 'account' | 'result' | 'otherStatus' | 'evidence' | 'resentAs' | 'saidSentBy' | 'settledAt'
      >
    > {
  root?: number;
}

/** Adds a chunk with its messages. */
export function insertChunk({ db }: Context, chunk: NewChunk): void {
  db.sql(
    `INSERT INTO chunks (send, idx, parent, root, state, size, account, result, other_status, evidence, resent_as,
       said_sent_by, settled_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    chunk.send,
    chunk.index,
    chunk.parent ?? null,
    chunk.root ?? chunk.index,
    chunk.state,
    chunk.messages.length,
    chunk.account ?? null,
    chunk.result === undefined ? null : JSON.stringify(chunk.result),
    chunk.otherStatus ?? null,
    chunk.evidence === undefined ? null : JSON.stringify(chunk.evidence),
    chunk.resentAs ?? null,
    chunk.saidSentBy ?? null,
    chunk.settledAt ?? null,
  );
  db.sql('INSERT INTO chunk_messages (send, idx, messages) VALUES (?, ?, ?)').run(
    chunk.send,
    chunk.index,
    JSON.stringify(chunk.messages),
  );
}

/** The index that a send's next chunk gets. */
export function nextIndex({ db }: Context, send: string): number {
  const row = db.sql('SELECT max(idx) AS last FROM chunks WHERE send = ?').get(send);
  return row?.last === null || row === undefined ? 0 : Number(row.last) + 1;
}

/** Adds pending chunks behind those that a send has. */
export function appendPending(context: Context, send: string, chunks: LedgerMessage[][]): void {
  const first = nextIndex(context, send);
  for (const [offset, messages] of chunks.entries()) {
    insertChunk(context, { send, index: first + offset, state: 'pending', messages });
  }
}

/** Writes what a settlement changes. */
export function writeChunk({ db }: Context, chunk: ChunkRecord): void {
  db.sql(
    `UPDATE chunks SET state = ?, deadline = ?, not_before = ?, refusals = ?, result = ?, other_status = ?,
       settled_at = ? WHERE send = ? AND idx = ?`,
  ).run(
    chunk.state,
    chunk.deadline ?? null,
    chunk.notBefore ?? null,
    chunk.refusals,
    chunk.result === undefined ? null : JSON.stringify(chunk.result),
    chunk.otherStatus ?? null,
    chunk.settledAt ?? null,
    chunk.send,
    chunk.index,
  );
}

/** What has not left will not leave. */
export function cancelPending({ db, now }: Context, send: string): void {
  db.sql("UPDATE chunks SET state = 'cancelled', settled_at = ? WHERE send = ? AND state = 'pending'").run(
    now(),
    send,
  );
}

/** Removes a send's chunks: nobody needs to keep a list of recipients who were never written to. */
export function forgetChunks({ db }: Context, send: string): void {
  db.sql('DELETE FROM chunk_messages WHERE send = ?').run(send);
  db.sql('DELETE FROM chunks WHERE send = ?').run(send);
}
