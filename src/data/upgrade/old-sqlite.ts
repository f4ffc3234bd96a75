import type { SQLOutputValue } from 'node:sqlite';
import type { Database } from '../../store/sqlite/open.ts';
import type { Fields, OldStore } from './old-store.ts';

type Row = Record<string, SQLOutputValue>;

/** Rows that are read at once: a cursor that stays open would let the log grow with all that is written meanwhile. */
const PAGE = 100;

/** Reads the tables of format 6. */
export function readOldTables(db: Database): OldStore {
  /** `first` sorts before all of them. */
  function* pages(from: string, key: string, first: string | number, ...values: string[]): Iterable<Row> {
    const page = db.sql(`SELECT * FROM ${from} AND ${key} > ? ORDER BY ${key} LIMIT ${PAGE}`);
    for (let after = first; ; ) {
      const rows = page.all(...values, after);
      yield* rows;
      const last = rows.at(-1)?.[key];
      if (rows.length < PAGE || (typeof last !== 'string' && typeof last !== 'number')) return;
      after = last;
    }
  }

  function* all<T>(table: string, key: string, read: (row: Row) => T): Iterable<T> {
    for (const row of pages(`${table} WHERE true`, key, '')) yield read(row);
  }

  const withId = (row: Row) => ({ id: String(row.id), fields: fieldsOf(row) });
  return {
    // Served at 0 means never.
    sends: () => all('sends', 'id', (row) => fieldsOf({ ...row, served_at: row.served_at || null })),
    *chunksOf(send) {
      const from = 'chunks JOIN chunk_messages USING (send, idx) WHERE send = ?';
      for (const row of pages(from, 'idx', -1, send)) yield fieldsOf(row);
    },
    permits: () =>
      all('permits', 'token', ({ token, lane, live_until: until }) => ({
        token: String(token),
        lane: String(lane),
        until: Number(until),
      })),
    rests: () => all('rests', 'lane', ({ lane, until }) => ({ lane: String(lane), until: Number(until) })),
    accounts: () => all('accounts', 'id', withId),
    episodes: () => all('episodes', 'name', (row) => ({ name: String(row.name), fields: fieldsOf(row) })),
    rows: () => all('outbox', 'id', withId),
    seen: () =>
      all('seen', 'key', ({ key, expires_at: until }) => ({ key: String(key), until: Number(until) })),
  };
}

/** `decided_at` is `decidedAt` today; what is NULL is left out. */
function fieldsOf(row: Row): Fields {
  const fields: Fields = {};
  for (const [column, value] of Object.entries(row)) {
    if (value === null || value === undefined) continue;
    fields[column.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())] = String(value);
  }
  return fields;
}
