import type {
  ChunkRecord,
  ChunkRef,
  SendRecord,
  Settled,
  Settlement,
  Taken,
  TakeRequest,
} from '../ledger.ts';
import { applySettlement, awaySince, isTurnedAway, LONGEST_WAIT_MS, STALE_AFTER_MS } from '../transitions.ts';
import { noteActivity, noteReceipt } from './accounts.ts';
import { findChunk, writeChunk } from './chunks.ts';
import type { Context } from './context.ts';
import { familyOf, insertChildren } from './families.ts';
import { endPermit, takePermit } from './permits.ts';
import { isResting, rest } from './rests.ts';
import { type Row, sendOf } from './rows.ts';
import { closeIfDone, findSend, writeSend } from './sends.ts';

/** Permit and intent in one step, or neither. */
export function takeNext(context: Context, request: TakeRequest): Taken {
  const { db, now, limits } = context;
  return db.transaction((): Taken => {
    const held = db
      .sql("SELECT send, idx FROM chunks WHERE state = 'sending' AND token = ?")
      .get(request.token);
    if (held) return takenAs(context, { send: String(held.send), index: Number(held.idx) });
    const next =
      request.audience === 'interactive'
        ? nextSingle(context, request.instance)
        : nextOfJobs(context, request.instance);
    if (!next) return { kind: 'idle' };
    if ('until' in next) return { kind: 'wait', until: next.until };
    if (request.audience === 'background') {
      const job = findSend(context, next.ref.send) as SendRecord;
      const since = awaySince(job, now());
      if (since !== undefined) return { kind: 'away', send: job, since };
    }

    const wait = takePermit(context, request.lane, request.audience, request.token);
    if (wait) {
      if (request.audience === 'interactive') excuseWait(context, request.instance, wait.until);
      return wait;
    }
    const at = now();
    db.sql(
      `UPDATE chunks SET state = 'sending', token = ?, attempt = attempt + 1, deadline = ?, account = ?
       WHERE send = ? AND idx = ?`,
    ).run(request.token, at + limits.leaseMs, request.account, next.ref.send, next.ref.index);
    db.sql('UPDATE sends SET served_at = ? WHERE id = ?').run(at, next.ref.send);
    noteActivity(context, request.account);
    return takenAs(context, next.ref);
  });
}

function takenAs(context: Context, ref: ChunkRef): Taken {
  return {
    kind: 'taken',
    send: findSend(context, ref.send) as SendRecord,
    chunk: findChunk(context, ref) as ChunkRecord,
  };
}

type Next = { ref: ChunkRef } | { until: number } | undefined;

function nextSingle({ db, now }: Context, instance: string): Next {
  const at = now();
  const rows = db.sql(
    `SELECT chunks.send AS send, idx, not_before FROM sends JOIN chunks ON chunks.send = sends.id
     WHERE sends.instance = ? AND sends.kind = 'single' AND sends.state = 'running' AND chunks.state = 'pending'
       AND stale_at > ?
     ORDER BY max(coalesce(not_before, 0), ?), decided_at, sends.id LIMIT 1`,
  );
  return refOrWait(rows.get(instance, at, at), at);
}

/** The next chunk of the job that was served longest ago and whose breaker has room. */
function nextOfJobs({ db, now }: Context, instance: string): Next {
  const at = now();
  const jobs = db
    .sql(
      "SELECT * FROM sends WHERE instance = ? AND kind = 'job' AND state = 'running' ORDER BY served_at, id",
    )
    .all(instance);
  let until: number | undefined;
  for (const job of jobs.map(sendOf)) {
    const flight = db
      .sql(
        `SELECT count(*) AS flying, min(deadline) AS first FROM chunks INDEXED BY chunks_state
         WHERE send = ? AND state = 'sending'`,
      )
      .get(job.id);
    const next = nextOfJob(db, job.id, at);
    if (next === undefined) continue;
    const full = Number(flight?.flying) >= job.inFlightLimit;
    if ('ref' in next && !full) return next;
    const wait = 'until' in next ? next.until : Number(flight?.first);
    until = Math.min(until ?? wait, wait);
  }
  return until === undefined ? undefined : { until };
}

/** The first that is ready, in the order of the list; the index ends the search there, however long the list is. */
function nextOfJob(db: Context['db'], send: string, at: number): Next {
  const ready = db
    .sql(
      `SELECT send, idx, not_before FROM chunks INDEXED BY chunks_state
       WHERE send = ? AND state = 'pending' AND coalesce(not_before, 0) <= ? ORDER BY idx LIMIT 1`,
    )
    .get(send, at);
  if (ready) return refOrWait(ready, at);
  const waiting = db
    .sql(
      "SELECT send, idx, not_before FROM chunks WHERE send = ? AND state = 'pending' ORDER BY not_before LIMIT 1",
    )
    .get(send);
  return refOrWait(waiting, at);
}

function refOrWait(row: Row | undefined, at: number): Next {
  if (!row) return undefined;
  const notBefore = row.not_before === null ? 0 : Number(row.not_before);
  return notBefore > at ? { until: notBefore } : { ref: { send: String(row.send), index: Number(row.idx) } };
}

/** Single sends that wait for a permit, or while their key rests, are not given up for it, within reason. */
function excuseWait({ db }: Context, instance: string, until: number): void {
  db.sql(
    `UPDATE chunks SET stale_at = max(stale_at, min(?, (SELECT decided_at FROM sends WHERE id = chunks.send) + ?))
     WHERE state = 'pending' AND send IN
       (SELECT id FROM sends WHERE instance = ? AND kind = 'single' AND state = 'running')`,
  ).run(until + STALE_AFTER_MS, LONGEST_WAIT_MS, instance);
}

/** Ends an attempt: chunk, breaker, permit, credits, the send's end and its announcements in one step. */
export function settleAttempt(context: Context, ref: ChunkRef, token: string, asked: Settlement): Settled {
  const { db, now } = context;
  return db.transaction((): Settled => {
    const send = findSend(context, ref.send);
    const chunk = findChunk(context, ref);
    if (!send || !chunk) return { settled: false };
    const rests = isTurnedAway(asked.request) && isResting(context, token);
    const after = applySettlement(send, chunk, asked, {
      token,
      now: now(),
      family: familyOf(context, ref),
      rests,
    });
    if (!after) return { settled: false };
    if (!after.changed) return { settled: true, send, chunk };
    const { settlement } = after;
    writeChunk(context, after.chunk);
    writeSend(context, after.send);
    if (after.chunk.state === 'split') insertChildren(context, after.chunk, settlement);
    if (settlement.request === 'never_started') {
      db.sql('UPDATE chunks SET never_started = never_started + 1 WHERE send = ? AND idx = ?').run(
        ref.send,
        ref.index,
      );
    }
    endPermit(context, token, settlement.request);
    const until = isTurnedAway(settlement.request) ? rest(context, token, settlement.request) : undefined;
    if (until !== undefined) excuseWait(context, send.instance, until);
    if (chunk.account !== undefined) {
      noteActivity(context, chunk.account);
      if ('receipt' in settlement) noteReceipt(context, chunk, settlement.receipt);
    }
    return { settled: true, send: closeIfDone(context, after.send), chunk: after.chunk };
  });
}
