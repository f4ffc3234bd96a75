import type { Audience, ChunkState, SendDetailsChange, SendRecord, Tally } from '../ledger.ts';
import { hasEnded, withDetails } from '../transitions.ts';
import { cancelPending } from './chunks.ts';
import type { Context } from './context.ts';
import { announceEnd } from './outbox.ts';
import { sendOf, text } from './rows.ts';

/** The send, if there is one. */
export function findSend({ db }: Context, id: string): SendRecord | undefined {
  const row = db.sql('SELECT * FROM sends WHERE id = ?').get(id);
  return row && sendOf(row);
}

/** Counts by state, and credits. */
export function tallyOf({ db }: Context, id: string): Tally {
  const none = () => ({ chunks: 0, messages: 0 });
  const tally: Tally = {
    states: {
      pending: none(),
      sending: none(),
      sent: none(),
      rejected: none(),
      not_sent: none(),
      unknown: none(),
      cancelled: none(),
      split: none(),
    },
    otherStatuses: {},
    creditsUsed: 0,
  };
  const rows = db
    .sql(
      `SELECT state, other_status, count(*) AS chunks, sum(size) AS messages, sum(credits_used) AS credits
       FROM chunks WHERE send = ? GROUP BY state, other_status`,
    )
    .all(id);
  for (const row of rows) {
    const counted = tally.states[row.state as ChunkState];
    const messages = Number(row.messages);
    counted.chunks += Number(row.chunks);
    counted.messages += messages;
    if (row.other_status !== null) tally.otherStatuses[text(row.other_status)] = messages;
    tally.creditsUsed += Number(row.credits ?? 0);
  }
  return tally;
}

/** Writes what may change about a send. */
export function writeSend({ db }: Context, send: SendRecord): void {
  db.sql(
    `UPDATE sends SET state = ?, details = ?, keeps = ?, decided_at = ?, decided_by = ?, ended_at = ?, pause_reason = ?,
       in_flight_limit = ?, unknown_run = ?, served_at = ? WHERE id = ?`,
  ).run(
    send.state,
    JSON.stringify(send.details),
    send.keeps === undefined ? null : JSON.stringify(send.keeps),
    send.decidedAt ?? null,
    send.decidedBy ?? null,
    send.endedAt ?? null,
    send.pauseReason ?? null,
    send.inFlightLimit,
    send.unknownRun,
    send.servedAt ?? 0,
    send.id,
  );
}

/**
 * Finishes a send that has nothing open any more, and makes its topics due when it has ended: on every change after
 * that too, since a late answer changes what people were told. Returns the send as it then stands.
 */
export function closeIfDone(context: Context, send: SendRecord): SendRecord {
  const open = context.db
    .sql("SELECT 1 FROM chunks WHERE send = ? AND state IN ('pending', 'sending') LIMIT 1")
    .get(send.id);
  if (open) return send;
  let closed = send;
  if (send.state === 'running' || send.state === 'paused') {
    const { pauseReason: _over, ...rest } = send;
    closed = { ...rest, state: 'finished', endedAt: context.now() };
    writeSend(context, closed);
  }
  if (hasEnded(closed)) announceEnd(context, closed);
  return closed;
}

/** running → paused. */
export function pauseSend(context: Context, id: string, reason: string): boolean {
  return change(context, id, ['running'], (send) => ({ ...send, state: 'paused', pauseReason: reason }));
}

/** paused → running; unknown answers are counted from zero again. */
export function resumeSend(context: Context, id: string, details: SendDetailsChange = {}): boolean {
  return change(context, id, ['paused'], ({ pauseReason: _over, ...send }) => ({
    ...withDetails(send, details),
    state: 'running',
    unknownRun: 0,
    servedAt: context.now(),
  }));
}

/** Merges details into those of a send that runs or is paused. */
export function amendSend(context: Context, id: string, details: SendDetailsChange): boolean {
  return change(context, id, ['running', 'paused'], (send) => withDetails(send, details));
}

/** running | paused → stopped, with everything that has not left cancelled. */
export function stopSend(context: Context, id: string): boolean {
  return change(context, id, ['running', 'paused'], ({ pauseReason: _over, ...send }) => {
    cancelPending(context, id);
    return { ...send, state: 'stopped', endedAt: context.now() };
  });
}

function change(
  context: Context,
  id: string,
  from: SendRecord['state'][],
  edit: (send: SendRecord) => SendRecord,
): boolean {
  return context.db.transaction(() => {
    const send = findSend(context, id);
    if (!send || !from.includes(send.state)) return false;
    const edited = edit(send);
    writeSend(context, edited);
    if (edited.state === 'stopped') closeIfDone(context, edited);
    return true;
  });
}

/** What an instance still has to do or has in flight. */
export function openSendsOf({ db }: Context, instance: string): SendRecord[] {
  return db
    .sql(
      `SELECT * FROM sends WHERE instance = ? AND (state IN ('running', 'paused')
         OR id IN (SELECT send FROM chunks WHERE chunks.state = 'sending'))`,
    )
    .all(instance)
    .map(sendOf);
}

/** Instances with pending chunks of running sends. Asked every second: it must not look at each chunk of a long job. */
export function instancesWithWork({ db }: Context, audience: Audience): { team: string; instance: string }[] {
  return db
    .sql(
      `SELECT DISTINCT team, instance FROM sends WHERE state = 'running' AND kind = ?
         AND EXISTS (SELECT 1 FROM chunks WHERE send = sends.id AND state = 'pending')`,
    )
    .all(audience === 'interactive' ? 'single' : 'job')
    .map((row) => ({ team: String(row.team), instance: String(row.instance) }));
}
