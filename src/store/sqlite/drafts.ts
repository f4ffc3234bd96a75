import type { Decided, Decision, LedgerMessage, NewSend, SendRecord } from '../ledger.ts';
import { BREAKER_FIRST, STALE_AFTER_MS, withDetails } from '../transitions.ts';
import { appendPending, cancelPending, forgetChunks, nextIndex } from './chunks.ts';
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
      `INSERT INTO sends (id, team, place, instance, kind, state, details, topics, created_at, expires_at,
         in_flight_limit, unknown_run, resends)
       VALUES (?, ?, ?, ?, ?, 'draft', ?, ?, ?, ?, ?, 0, ?)`,
    ).run(
      send.id,
      send.team,
      send.place,
      send.instance,
      send.kind,
      JSON.stringify(send.details),
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
    const decided: SendRecord = {
      ...withDetails(send, decision.details ?? {}),
      state: decision.to,
      decidedAt: at,
      decidedBy: decision.by,
      ...(decision.to === 'running' ? {} : { endedAt: at }),
    };
    writeSend(context, decided);
    if (decision.to !== 'running') withdrawChunks(context, decided);
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

function expireDraft(context: Context, draft: SendRecord): void {
  context.db
    .sql("UPDATE sends SET state = 'expired', ended_at = ? WHERE id = ?")
    .run(context.now(), draft.id);
  withdrawChunks(context, draft);
  announceEnd(context, draft);
}

function withdrawChunks(context: Context, { id, kind }: SendRecord): void {
  if (kind === 'job') forgetChunks(context, id);
  else cancelPending(context, id);
}
