import type { ChunkRef, Decided, Decision, NewSend, SendRecord } from '../ledger.ts';
import { BREAKER_FIRST, hasEnded, STALE_AFTER_MS } from '../transitions.ts';
import type { Context } from './context.ts';
import { announceEnd } from './outbox.ts';
import { cancelPending, findChunk, findSend, insertChunk, writeSend } from './sends.ts';

/** Writes the draft with its chunks, all or none. */
export function draftSend(context: Context, send: NewSend): void {
  const { db, now } = context;
  db.transaction(() => {
    const at = now();
    db.sql(
      `INSERT INTO sends (id, team, place, instance, kind, state, details, topics, created_at, expires_at,
         in_flight_limit, unknown_run, resends_send, resends_index)
       VALUES (?, ?, ?, ?, ?, 'draft', ?, ?, ?, ?, ?, 0, ?, ?)`,
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
      send.resends?.send ?? null,
      send.resends?.index ?? null,
    );
    for (const [index, messages] of send.chunks.entries()) insertChunk(context, send.id, index, messages);
  });
}

/** The one decision on a draft; expiry, and a resend's claim on the unknown chunk, in the same step. */
export function decideSend(context: Context, id: string, decision: Decision): Decided {
  const { db, now } = context;
  return db.transaction((): Decided => {
    const send = findSend(context, id);
    if (!send) return { won: false, why: 'missing' };
    if (send.state === 'expired') return { won: false, why: 'expired', send };
    if (send.state !== 'draft') return { won: false, why: 'decided', send };
    const at = now();
    if (at >= send.expiresAt) {
      expireDraft(context, id);
      return { won: false, why: 'expired', send: { ...send, state: 'expired', endedAt: at } };
    }
    if (decision.to === 'running' && send.resends) {
      const why = claimResend(context, send.resends, id, at);
      if (why) return { won: false, why, send };
    }
    const decided: SendRecord = {
      ...send,
      state: decision.to,
      decidedAt: at,
      decidedBy: decision.by,
      details: decision.details ? { ...(send.details as object), ...decision.details } : send.details,
      ...(decision.to === 'running' ? {} : { endedAt: at }),
    };
    writeSend(context, decided);
    if (decision.to !== 'running') cancelPending(context, id);
    if (decision.to === 'running' && send.kind === 'single') {
      db.sql('UPDATE chunks SET stale_at = ? WHERE send = ?').run(at + STALE_AFTER_MS, id);
    }
    return { won: true, send: decided };
  });
}

/** unknown → resent_as(id), once and only after its deadline; says why not otherwise. */
function claimResend(
  context: Context,
  ref: ChunkRef,
  by: string,
  at: number,
): 'resent_already' | 'not_unknown' | 'too_early' | undefined {
  const chunk = findChunk(context, ref);
  if (chunk?.state !== 'unknown') return 'not_unknown';
  if (chunk.resentAs !== undefined) return 'resent_already';
  if (chunk.deadline !== undefined && at < chunk.deadline) return 'too_early';
  context.db.sql('UPDATE chunks SET resent_as = ? WHERE send = ? AND idx = ?').run(by, ref.send, ref.index);
  const first = findSend(context, ref.send);
  if (first && hasEnded(first)) announceEnd(context, first);
  return undefined;
}

/** Expires a place's drafts. */
export function expireDraftsOf(context: Context, team: string, place: string): number {
  const { db } = context;
  return db.transaction(() => {
    const drafts = db
      .sql("SELECT id FROM sends WHERE state = 'draft' AND team = ? AND place = ?")
      .all(team, place);
    for (const { id } of drafts) expireDraft(context, String(id));
    return drafts.length;
  });
}

/** draft → expired, with its chunks cancelled. Runs inside the caller's transaction. */
export function expireDraft(context: Context, id: string): void {
  context.db.sql("UPDATE sends SET state = 'expired', ended_at = ? WHERE id = ?").run(context.now(), id);
  cancelPending(context, id);
}
