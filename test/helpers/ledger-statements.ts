import type { Database } from '../../src/store/sqlite/open.ts';

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

/** Tables that SQLite would read from end to end for a statement. */
export function scannedTables(db: Database, text: string): string[] {
  return db.raw
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all()
    .flatMap(({ detail }) => /^SCAN (\w+)/.exec(String(detail))?.[1] ?? []);
}
