import type { SQLOutputValue } from 'node:sqlite';
import type { Database } from '../../store/sqlite/open.ts';
import { type OldStore, type Text, valuesOf } from './old-store.ts';

/** How many rows one query reads. A cursor that stays open would let the write-ahead log grow with every write. */
const PAGE = 100;

/** The tables of the ledger in format 6. The table of records stays. */
export const OLD_TABLES = [
  ...['chunk_messages', 'chunks', 'sends', 'permits', 'rests'],
  ...['accounts', 'episodes', 'outbox', 'seen'],
];

/** Reads the tables of format 6. */
export function readOldTables(db: Database): OldStore {
  /** `first` sorts before every key. */
  function* pages<T>(from: string, key: string, first: string | number, ...values: string[]): Iterable<T> {
    const page = db.sql(`SELECT * FROM ${from} AND ${key} > ? ORDER BY ${key} LIMIT ${PAGE}`);
    for (let after = first; ; ) {
      const rows = page.all(...values, after);
      for (const row of rows) yield valuesOf(textsOf(row)) as T;
      const last = rows.at(-1)?.[key];
      if (rows.length < PAGE || (typeof last !== 'string' && typeof last !== 'number')) return;
      after = last;
    }
  }

  const all =
    <T>(table: string, key: string) =>
    () =>
      pages<T>(`${table} WHERE true`, key, '');
  return {
    sends: all('sends', 'id'),
    chunksOf: (send) => pages('chunks JOIN chunk_messages USING (send, idx) WHERE send = ?', 'idx', -1, send),
    permits: all('permits', 'token'),
    rests: all('rests', 'lane'),
    accounts: all('accounts', 'id'),
    episodes: all('episodes', 'name'),
    rows: all('outbox', 'id'),
    seen: all('seen', 'key'),
  };
}

/** The columns that are not NULL, under the names of fields: `decided_at` becomes `decidedAt`. */
function textsOf(row: { [column: string]: SQLOutputValue }): Text[] {
  const nameOf = (column: string) => column.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const filled = Object.entries(row).filter(([, value]) => value !== null);
  return filled.map(([column, value]) => [nameOf(column), String(value)]);
}
