import type { DatabaseSync } from 'node:sqlite';

const COLLECTIONS = ['sends', 'chunks', 'outbox', 'states'];

/**
 * Sends, chunks, messages to Slack and named states as tables, for tests that ask in SQL. A chunk that nobody took has no
 * document: its row comes from its send.
 */
const VIEWS = `
  CREATE TEMP VIEW sends AS SELECT id, value ->> '$.record.team' AS team,
    value ->> '$.record.kind' AS kind, value ->> '$.record.state' AS state,
    value -> '$.record.details' AS details, value ->> '$.record.decidedBy' AS decided_by,
    value ->> '$.record.decidedAt' AS decided_at, value ->> '$.record.endedAt' AS ended_at FROM d_sends;
  CREATE TEMP VIEW chunks AS
    WITH RECURSIVE fresh (send, idx, past, state) AS (
      SELECT id, value ->> '$.work.next', value ->> '$.work.drafted', value ->> '$.record.state' FROM d_sends
        WHERE value ->> '$.work.next' < value ->> '$.work.drafted'
      UNION ALL SELECT send, idx + 1, past, state FROM fresh WHERE idx + 1 < past
    ), taken (send, idx, value) AS (
      SELECT substr(id, 1, instr(id, '/') - 1), CAST(substr(id, instr(id, '/') + 1) AS INTEGER), value FROM d_chunks
    )
    SELECT taken.send, idx,
        CASE WHEN taken.value ->> '$.state' = 'pending' AND sends.value ->> '$.record.state' = 'stopped'
          THEN 'cancelled' ELSE taken.value ->> '$.state' END AS state,
        taken.value ->> '$.size' AS size, taken.value -> '$.evidence' AS evidence,
        taken.value ->> '$.resentAs' AS resent_as, taken.value ->> '$.saidSentBy' AS said_sent_by,
        CASE idx WHEN 0 THEN sends.value ->> '$.tally.creditsUsed' ELSE 0 END AS credits_used
      FROM taken JOIN d_sends AS sends ON sends.id = taken.send
    UNION ALL
    SELECT send, idx, CASE state WHEN 'stopped' THEN 'cancelled' ELSE 'pending' END, NULL, NULL, NULL, NULL, 0 FROM fresh;
  CREATE TEMP VIEW outbox AS SELECT id, substr(id, 1, instr(id, ':') - 1) AS topic,
    value ->> '$.waiting.attempts' AS attempts, value ->> '$.waiting.since' AS since,
    CASE WHEN value -> '$.waiting' IS NULL THEN 'posted' WHEN value -> '$.waiting.token' IS NULL THEN 'due' ELSE 'posting' END AS state
    FROM d_outbox;
  CREATE TEMP VIEW states AS SELECT id AS name, value ->> '$.state' AS state FROM d_states;
`;

/** Adds these tables to an open database of the bot. */
export function withTables(db: DatabaseSync): DatabaseSync {
  const there = db.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'd\\_%' ESCAPE '\\'").all();
  const names = there.map(({ name }) => String(name));
  // The store makes a collection's table at its first use.
  for (const collection of COLLECTIONS) {
    if (!names.includes(`d_${collection}`)) db.exec(`CREATE TEMP TABLE d_${collection} (id, version, value)`);
  }
  db.exec(VIEWS);
  return db;
}
