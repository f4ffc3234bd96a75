import type { Database } from '../../../src/store/sqlite/open.ts';

/** The same database, and the text of every statement that was asked of it. */
export function recordStatements(db: Database): { db: Database; texts: Set<string> } {
  const texts = new Set<string>();
  return {
    texts,
    db: {
      ...db,
      sql(text) {
        texts.add(text);
        return db.sql(text);
      },
    },
  };
}

/** How SQLite would carry a statement out, a line a step. */
export function planOf(db: Database, text: string): string[] {
  return db.raw
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .map(({ detail }) => String(detail));
}

/** Tables that SQLite would read from end to end for a statement. */
export function scannedTables(db: Database, text: string): string[] {
  return planOf(db, text).flatMap((step) => /^SCAN (\w+)/.exec(step)?.[1] ?? []);
}
