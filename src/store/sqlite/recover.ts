import type { ChunkRecord, SendRecord } from '../ledger.ts';
import { noteActivity } from './accounts.ts';
import type { Context } from './context.ts';
import { expireDraft } from './drafts.ts';
import { chunkOf } from './rows.ts';
import { closeIfDone, findSend } from './sends.ts';

/**
 * Says what is true of what nobody owns any more; such chunks have no result, since no answer came. `deadBoot`: nothing that is `sending` has an owner any more, whatever its deadline.
 */
export function recoverChunks(context: Context, deadBoot: boolean): void {
  const { db, now } = context;
  db.transaction(() => {
    const at = now();
    const touched = new Set<string>();
    const lost = db
      .sql("SELECT * FROM chunks WHERE state = 'sending' AND (deadline <= ? OR ?)")
      .all(at, deadBoot ? 1 : 0)
      .map(chunkOf);
    for (const chunk of lost) {
      db.sql("UPDATE chunks SET state = 'unknown', settled_at = ? WHERE send = ? AND idx = ?").run(
        at,
        chunk.send,
        chunk.index,
      );
      if (chunk.account !== undefined) noteActivity(context, chunk.account);
      touched.add(chunk.send);
    }
    const stale = db
      .sql(
        `SELECT chunks.send AS send FROM chunks JOIN sends ON sends.id = chunks.send
         WHERE chunks.state = 'pending' AND sends.state = 'running' AND sends.kind = 'single' AND stale_at <= ?`,
      )
      .all(at);
    for (const { send } of stale) {
      db.sql("UPDATE chunks SET state = 'not_sent', settled_at = ? WHERE send = ? AND state = 'pending'").run(
        at,
        String(send),
      );
      touched.add(String(send));
    }
    for (const id of touched) closeIfDone(context, findSend(context, id) as SendRecord);
    const over = db.sql("SELECT id FROM sends WHERE state = 'draft' AND expires_at <= ?").all(at);
    for (const { id } of over) expireDraft(context, String(id));
  });
}

/** Unknown chunks with their sends, oldest first. */
export function unknownChunks(context: Context, team?: string): { send: SendRecord; chunk: ChunkRecord }[] {
  return context.db
    .sql("SELECT * FROM chunks WHERE state = 'unknown' ORDER BY settled_at")
    .all()
    .map(chunkOf)
    .map((chunk) => ({ chunk, send: findSend(context, chunk.send) as SendRecord }))
    .filter(({ send }) => team === undefined || send.team === team);
}
