/**
 * Upgrades tables from format 1 to 2, 3, … 6, the last one before documents. Never edit one of them. Times are ms since
 * 1970; `details`, `result`, `messages` and the like are JSON.
 */
export const TABLE_UPGRADES: readonly string[] = [
  // A chunk's messages are large and never change; its state is small and does change. So each gets a table: stopping a
  // job of a thousand chunks rewrites no messages.
  `
  CREATE TABLE chunk_messages (
    send TEXT NOT NULL REFERENCES sends (id), idx INTEGER NOT NULL, messages TEXT NOT NULL, PRIMARY KEY (send, idx)
  ) STRICT;
  INSERT INTO chunk_messages SELECT send, idx, messages FROM chunks ORDER BY send, idx;
  ALTER TABLE chunks DROP COLUMN messages;

  ALTER TABLE chunks ADD COLUMN other_status TEXT;
  ALTER TABLE chunks ADD COLUMN never_started INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE chunks ADD COLUMN root INTEGER;
  UPDATE chunks SET root = idx WHERE parent IS NULL;
  WITH RECURSIVE descents (send, idx, root) AS (
    SELECT send, idx, idx FROM chunks WHERE parent IS NULL
    UNION ALL
    SELECT chunks.send, chunks.idx, descents.root FROM chunks JOIN descents
      ON chunks.send = descents.send AND chunks.parent = descents.idx
  )
  UPDATE chunks SET root = descents.root FROM descents
    WHERE chunks.send = descents.send AND chunks.idx = descents.idx AND parent IS NOT NULL;
  CREATE INDEX chunks_root ON chunks (send, root);

  ALTER TABLE sends ADD COLUMN resends TEXT;
  UPDATE sends SET resends = json_object('send', resends_send, 'indexes', json_array(resends_index))
    WHERE resends_send IS NOT NULL;
  ALTER TABLE sends DROP COLUMN resends_send;
  ALTER TABLE sends DROP COLUMN resends_index;

  ALTER TABLE outbox ADD COLUMN spacing REAL NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN posted_at REAL;
  `,
  // Records of each account's instances and of the links to remove. Without them, every balance read would read all
  // instances, and a round would read all links. The upgrade leaves out damaged records.
  `
  CREATE TABLE IF NOT EXISTS kv (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER, PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO kv (namespace, key, value)
    SELECT 'payers', account || '/' || key, json_object('value', json_object(
      'team', substr(key, 1, instr(key, '/') - 1), 'id', substr(key, instr(key, '/') + 1)))
    FROM (
      SELECT key, CASE WHEN json_valid(value) THEN value ->> '$.value.accountId' END AS account
      FROM kv WHERE namespace = 'instances'
    ) WHERE account IS NOT NULL;
  INSERT INTO kv (namespace, key, value)
    SELECT 'leavers', key, json_object('value', json_object(
      'team', substr(key, 1, instr(key, '/') - 1), 'channel', substr(key, instr(key, '/') + 1)))
    FROM kv WHERE namespace = 'links' AND CASE WHEN json_valid(value) THEN value -> '$.value.leaving' END IS NOT NULL;
  `,
  // Until when a key rests after a 429, by its lane.
  `
  CREATE TABLE rests (lane TEXT PRIMARY KEY, until REAL NOT NULL) STRICT, WITHOUT ROWID;
  `,
  'ALTER TABLE chunks ADD COLUMN said_sent_by TEXT;',
  // A draft that nobody sends forgets its words. A new draft says what it keeps; here older drafts get that, too. What was
  // left of withdrawn and expired ones is deleted.
  `
  ALTER TABLE sends ADD COLUMN keeps TEXT;
  CREATE INDEX sends_expired ON sends (min(ended_at, expires_at)) WHERE state = 'expired' AND keeps IS NOT NULL;

  UPDATE sends SET keeps = json_remove(details, '$.e164', '$.reply', '$.given', '$.list.samples', '$.list.wrongRows')
    WHERE state = 'draft' AND json_valid(details);
  UPDATE sends SET details = json_remove(details, '$.e164', '$.reply', '$.given', '$.list.samples', '$.list.wrongRows')
    WHERE state IN ('cancelled', 'superseded', 'expired') AND json_valid(details);
  DELETE FROM chunk_messages
    WHERE send IN (SELECT id FROM sends WHERE state IN ('cancelled', 'superseded', 'expired'));
  DELETE FROM chunks WHERE send IN (SELECT id FROM sends WHERE state IN ('cancelled', 'superseded', 'expired'));
  `,
];

/** The tables of the ledger until format 6. The table of records stays. */
export const OLD_TABLES = [
  ...['chunk_messages', 'chunks', 'sends', 'permits', 'rests'],
  ...['accounts', 'episodes', 'outbox', 'seen'],
];
