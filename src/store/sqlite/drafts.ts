import type { Decided, Decision, LedgerMessage, NewSend, SendRecord } from '../ledger.ts';
import { BREAKER_FIRST, decideDraft, EXPIRED_FOR_MS, forget, STALE_AFTER_MS } from '../transitions.ts';
import { appendPending, forgetChunks, nextIndex } from './chunks.ts';
import type { Context } from './context.ts';
import { announceEnd } from './outbox.ts';
import { sendOf } from './rows.ts';
import { findSend, writeSend } from './sends.ts';
import { claimResends } from './unknowns.ts';

/** Writes the draft with its chunks, all or none. */
export function draftSend(context: Context, send: NewSend): void {
  const { db, now } = context;
  db.transaction(() => {
    const at = now();
    db.sql(
      `INSERT INTO sends (id, team, place, instance, kind, state, details, keeps, topics, created_at, expires_at,
         in_flight_limit, unknown_run, resends)
       VALUES (?, ?, ?, ?, ?, 'draft', ?, ?, ?, ?, ?, ?, 0, ?)`,
    ).run(
      send.id,
      send.team,
      send.place,
      send.instance,
      send.kind,
      JSON.stringify(send.details),
      send.keeps === undefined ? null : JSON.stringify(send.keeps),
      JSON.stringify(send.topics),
      at,
      at + send.expiresInMs,
      BREAKER_FIRST,
      send.resends ? JSON.stringify(send.resends) : null,
    );
    appendPending(context, send.id, send.chunks);
  });
}

/** Adds chunks to a draft. */
export function appendToDraft(context: Context, id: string, chunks: LedgerMessage[][]): void {
  context.db.transaction(() => {
    if (findSend(context, id)?.state !== 'draft') throw new Error(`the send ${id} is no draft any more`);
    appendPending(context, id, chunks);
  });
}

/** The one decision on a draft; expiry, and a resend's claim on the unknown chunks, in the same step. */
export function decideSend(context: Context, id: string, decision: Decision): Decided {
  const { db, now } = context;
  return db.transaction((): Decided => {
    const send = findSend(context, id);
    if (!send) return { won: false, why: 'missing' };
    if (send.state === 'expired') return { won: false, why: 'expired', send };
    if (send.state !== 'draft') return { won: false, why: 'decided', send };
    const at = now();
    if (at >= send.expiresAt) {
      expireDraft(context, send);
      return { won: false, why: 'expired', send: { ...send, state: 'expired', endedAt: at } };
    }
    if (decision.to === 'running' && nextIndex(context, id) === 0) {
      // Nothing would ever end it.
      throw new Error(`the draft ${id} holds nothing to send`);
    }
    if (decision.to === 'running' && send.resends) {
      const why = claimResends(context, send.resends, id, at);
      if (why) return { won: false, why, send };
    }
    const decided = decideDraft(send, decision, at);
    writeSend(context, decided);
    if (decision.to !== 'running') forgetChunks(context, id);
    else if (send.kind === 'single') {
      db.sql('UPDATE chunks SET stale_at = ? WHERE send = ?').run(at + STALE_AFTER_MS, id);
    }
    return { won: true, send: decided };
  });
}

/** Expires a place's drafts. */
export function expireDraftsOf(context: Context, team: string, place: string): number {
  const { db } = context;
  return db.transaction(() => {
    const drafts = db
      .sql("SELECT * FROM sends WHERE state = 'draft' AND team = ? AND place = ?")
      .all(team, place);
    for (const draft of drafts) expireDraft(context, sendOf(draft));
    return drafts.length;
  });
}

/** Expires the drafts whose time is over. Runs inside the caller's transaction. */
export function expireOldDrafts(context: Context): void {
  const over = context.db
    .sql("SELECT * FROM sends WHERE state = 'draft' AND expires_at <= ?")
    .all(context.now());
  for (const draft of over) expireDraft(context, sendOf(draft));
}

/** Of drafts that expired a while ago only what they keep stays. Runs inside the caller's transaction. */
export function forgetExpired(context: Context): void {
  const over = context.db
    .sql(
      `SELECT * FROM sends WHERE state = 'expired' AND keeps IS NOT NULL AND min(ended_at, expires_at) <= ?`,
    )
    .all(context.now() - EXPIRED_FOR_MS);
  for (const row of over) writeSend(context, forget(sendOf(row)));
}

/** draft → expired, without its chunks; whoever was shown it reads of that. */
function expireDraft(context: Context, draft: SendRecord): void {
  context.db
    .sql("UPDATE sends SET state = 'expired', ended_at = ? WHERE id = ?")
    .run(context.now(), draft.id);
  forgetChunks(context, draft.id);
  announceEnd(context, draft);
}
