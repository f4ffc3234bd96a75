CREATE TABLE sends (
  id TEXT PRIMARY KEY, team TEXT NOT NULL, place TEXT NOT NULL, instance TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL, details TEXT NOT NULL, topics TEXT NOT NULL,
  created_at REAL NOT NULL, expires_at REAL NOT NULL, decided_at REAL, decided_by TEXT, ended_at REAL,
  pause_reason TEXT, in_flight_limit INTEGER NOT NULL, unknown_run INTEGER NOT NULL,
  resends_send TEXT, resends_index INTEGER, served_at REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sends_state ON sends (state, instance);
CREATE INDEX sends_place ON sends (team, place);

CREATE TABLE chunks (
  send TEXT NOT NULL REFERENCES sends (id), idx INTEGER NOT NULL, parent INTEGER, state TEXT NOT NULL,
  messages TEXT NOT NULL, size INTEGER NOT NULL, attempt INTEGER NOT NULL DEFAULT 0, token TEXT,
  deadline REAL, not_before REAL, stale_at REAL, refusals INTEGER NOT NULL DEFAULT 0, account TEXT,
  result TEXT, evidence TEXT, resent_as TEXT, credits_used INTEGER, settled_at REAL,
  PRIMARY KEY (send, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunks_state ON chunks (state, send);
CREATE INDEX chunks_unknown ON chunks (account) WHERE state = 'unknown';

CREATE TABLE permits (token TEXT PRIMARY KEY, lane TEXT NOT NULL, live_until REAL NOT NULL) STRICT;
CREATE INDEX permits_live ON permits (lane, live_until);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY, activity INTEGER NOT NULL DEFAULT 0, credits INTEGER, as_of REAL,
  anchor INTEGER, anchored_at REAL, receipts_since INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE episodes (name TEXT PRIMARY KEY, state TEXT NOT NULL, details TEXT NOT NULL, moved_at REAL NOT NULL) STRICT;

CREATE TABLE outbox (
  id TEXT PRIMARY KEY, topic TEXT NOT NULL, subject TEXT NOT NULL, details TEXT NOT NULL, state TEXT NOT NULL,
  revision INTEGER NOT NULL, taken_revision INTEGER NOT NULL DEFAULT 0, since REAL NOT NULL, due_at REAL NOT NULL,
  token TEXT, deadline REAL, attempts INTEGER NOT NULL DEFAULT 0, posted TEXT
) STRICT;
CREATE INDEX outbox_state ON outbox (state, due_at);

CREATE TABLE seen (key TEXT PRIMARY KEY, expires_at REAL NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX seen_expiry ON seen (expires_at);
