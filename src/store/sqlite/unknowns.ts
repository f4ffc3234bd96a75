import type { ChunkRecord, Resends, SaidSent, SendRecord, Undecidable } from '../ledger.ts';
import { hasReported, whyUndecidable } from '../transitions.ts';
import { findChunk } from './chunks.ts';
import type { Context } from './context.ts';
import { announceEnd } from './outbox.ts';
import { CHUNKS, chunkOf } from './rows.ts';
import { findSend } from './sends.ts';

/** Unknown chunks that need a decision, with their sends, oldest first. */
export function unknownChunks(context: Context, team?: string): { send: SendRecord; chunk: ChunkRecord }[] {
  return context.db
    .sql(
      `${CHUNKS} WHERE state = 'unknown' AND resent_as IS NULL AND said_sent_by IS NULL ORDER BY settled_at`,
    )
    .all()
    .map(chunkOf)
    .map((chunk) => ({ chunk, send: findSend(context, chunk.send) as SendRecord }))
    .filter(({ send }) => team === undefined || send.team === team);
}

/**
 * unknown → resent_as(id) for all of them or none, once and only after their deadlines; says why not otherwise. Runs
 * inside the caller's transaction.
 */
export function claimResends(
  context: Context,
  { send, indexes }: Resends,
  by: string,
  at: number,
): Undecidable | 'too_early' | undefined {
  const chunks = indexes.map((index) => findChunk(context, { send, index }));
  const why = whyUndecidable(chunks);
  if (why) return why;
  if (chunks.some((chunk) => chunk?.deadline !== undefined && at < chunk.deadline)) return 'too_early';
  const claim = context.db.sql('UPDATE chunks SET resent_as = ? WHERE send = ? AND idx = ?');
  for (const index of indexes) claim.run(by, send, index);
  const first = findSend(context, send);
  if (first && hasReported(first)) announceEnd(context, first);
  return undefined;
}

/** unknown → said_sent_by(person) for all of them or none, once. */
export function saySentOf(context: Context, { send: id, indexes }: Resends, by: string): SaidSent {
  const { db } = context;
  return db.transaction((): SaidSent => {
    const send = findSend(context, id);
    const why = whyUndecidable(indexes.map((index) => findChunk(context, { send: id, index })));
    if (!send || why) return { won: false, why: why ?? 'not_unknown' };
    const say = db.sql('UPDATE chunks SET said_sent_by = ? WHERE send = ? AND idx = ?');
    for (const index of indexes) say.run(by, id, index);
    // A job's card tells of it while the job still runs, or waits.
    if (hasReported(send) || send.kind === 'job') announceEnd(context, send);
    return { won: true };
  });
}
