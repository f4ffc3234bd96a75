import type { SQLOutputValue } from 'node:sqlite';
import type {
  ChunkRecord,
  ChunkState,
  Json,
  LedgerMessage,
  Resends,
  SendKind,
  SendRecord,
  SendState,
} from '../ledger.ts';

/** A row as node:sqlite hands it out. */
export type Row = Record<string, SQLOutputValue>;

/** A send from its row. */
export function sendOf(row: Row): SendRecord {
  return {
    id: text(row.id),
    team: text(row.team),
    place: text(row.place),
    instance: text(row.instance),
    kind: text(row.kind) as SendKind,
    state: text(row.state) as SendState,
    details: JSON.parse(text(row.details)) as Json,
    topics: JSON.parse(text(row.topics)) as string[],
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    inFlightLimit: Number(row.in_flight_limit),
    unknownRun: Number(row.unknown_run),
    ...optional('keeps', row.keeps, json),
    ...optional('decidedAt', row.decided_at, Number),
    ...optional('decidedBy', row.decided_by, text),
    ...optional('endedAt', row.ended_at, Number),
    ...optional('pauseReason', row.pause_reason, text),
    ...(Number(row.served_at) > 0 ? { servedAt: Number(row.served_at) } : {}),
    ...optional('resends', row.resends, (value) => JSON.parse(text(value)) as Resends),
  };
}

/** Chunks with their messages: what `chunkOf` reads. A WHERE goes behind it. */
export const CHUNKS = 'SELECT chunks.*, messages FROM chunks JOIN chunk_messages USING (send, idx)';

/** A chunk from its row with its messages. */
export function chunkOf(row: Row): ChunkRecord {
  return {
    send: text(row.send),
    index: Number(row.idx),
    state: text(row.state) as ChunkState,
    messages: JSON.parse(text(row.messages)) as LedgerMessage[],
    attempt: Number(row.attempt),
    refusals: Number(row.refusals),
    ...optional('parent', row.parent, Number),
    ...optional('token', row.token, text),
    ...optional('deadline', row.deadline, Number),
    ...optional('notBefore', row.not_before, Number),
    ...optional('account', row.account, text),
    ...optional('result', row.result, json),
    ...optional('otherStatus', row.other_status, text),
    ...optional('evidence', row.evidence, json),
    ...optional('resentAs', row.resent_as, text),
    ...optional('saidSentBy', row.said_sent_by, text),
    ...optional('settledAt', row.settled_at, Number),
  };
}

/** The text of a column that is always there. */
export function text(value: SQLOutputValue | undefined): string {
  if (typeof value !== 'string') throw new Error('a column of the ledger that must hold text does not');
  return value;
}

/** JSON of a column that is always there. */
export function json(value: SQLOutputValue | undefined): Json {
  return JSON.parse(text(value)) as Json;
}

/** `{ name: read(value) }`, or nothing where the column is NULL. */
export function optional<K extends string, T>(
  name: K,
  value: SQLOutputValue | undefined,
  read: (value: SQLOutputValue) => T,
): { [key in K]?: T } {
  return value === null || value === undefined ? {} : ({ [name]: read(value) } as { [key in K]: T });
}
