import type { SendRecord } from '../ledger.ts';
import { hasEnded } from '../transitions.ts';
import { noteActivity } from './accounts.ts';
import type { Context } from './context.ts';
import { expireOldDrafts, forgetExpired } from './drafts.ts';
import { announceEnd } from './outbox.ts';
import { text } from './rows.ts';
import { closeIfDone, findSend } from './sends.ts';

/**
 * Says what is true of what nobody owns any more; such chunks have no result, since no answer came. `deadBoot`: nothing
 * that is `sending` has an owner any more, whatever its deadline.
 */
export function recoverChunks(context: Context, deadBoot: boolean): void {
  const { db, now } = context;
  db.transaction(() => {
    const at = now();
    const touched = new Set<string>();
    const lost = db
      .sql("SELECT send, idx, account FROM chunks WHERE state = 'sending' AND (deadline <= ? OR ?)")
      .all(at, deadBoot ? 1 : 0);
    for (const { send, idx, account } of lost) {
      db.sql("UPDATE chunks SET state = 'unknown', settled_at = ? WHERE send = ? AND idx = ?").run(
        at,
        text(send),
        Number(idx),
      );
      noteActivity(context, text(account));
      touched.add(text(send));
    }
    const stale = db
      .sql(
        `SELECT id AS send FROM sends WHERE state = 'running' AND kind = 'single'
           AND EXISTS (SELECT 1 FROM chunks WHERE send = sends.id AND state = 'pending' AND stale_at <= ?)`,
      )
      .all(at);
    for (const { send } of stale) {
      db.sql("UPDATE chunks SET state = 'not_sent', settled_at = ? WHERE send = ? AND state = 'pending'").run(
        at,
        String(send),
      );
      touched.add(String(send));
    }
    for (const id of touched) {
      const send = closeIfDone(context, findSend(context, id) as SendRecord);
      // A job's card tells of its unknown ones while it still runs, or waits; an ended send is announced by then.
      if (!hasEnded(send) && send.kind === 'job') announceEnd(context, send);
    }
    expireOldDrafts(context);
    forgetExpired(context);
  });
}
