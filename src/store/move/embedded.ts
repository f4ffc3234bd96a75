import type { SQLOutputValue } from 'node:sqlite';
import { createSqliteKeyv } from '../sqlite/keyv.ts';
import type { Database } from '../sqlite/open.ts';

type Row = Record<string, SQLOutputValue>;

/** A record as the shared store keeps it: fields of text, those that are NULL left out. */
export type Values = { [field: string]: string };

/** What is left to take of the embedded store, in the words of the shared one. */
export interface Embedded {
  sends(): Iterable<{ id: string; set: Values }>;
  chunksOf(send: string): Iterable<{ index: number; set: Values; messages: string }>;
  permits(): Iterable<{ token: string; lane: string; liveUntil: string }>;
  rests(): Iterable<{ lane: string; until: string }>;
  accounts(): Iterable<{ id: string; set: Values }>;
  episodes(): Iterable<{ name: string; set: Values }>;
  rows(): Iterable<{ id: string; set: Values }>;
  seen(): Iterable<{ key: string; over: string }>;
  records(): Iterable<{ namespace: string; key: string; value: string }>;
  /** How many requests were on their way when the bot ended. */
  sending(): number;
}

/** Columns under the names that the shared store has for them. */
const SEND = {
  ...{ id: 'id', team: 'team', place: 'place', instance: 'instance', kind: 'kind', state: 'state' },
  ...{ details: 'details', keeps: 'keeps' },
  ...{ topics: 'topics', createdAt: 'created_at', expiresAt: 'expires_at', decidedAt: 'decided_at' },
  ...{ decidedBy: 'decided_by', endedAt: 'ended_at', pauseReason: 'pause_reason', resends: 'resends' },
  ...{ inFlightLimit: 'in_flight_limit', unknownRun: 'unknown_run', servedAt: 'last_served' },
};
const CHUNK = {
  ...{ state: 'state', size: 'size', attempt: 'attempt', refusals: 'refusals', parent: 'parent' },
  ...{ token: 'token', deadline: 'deadline', notBefore: 'not_before', staleAt: 'stale_at' },
  ...{ account: 'account', result: 'result', otherStatus: 'other_status', evidence: 'evidence' },
  ...{
    resentAs: 'resent_as',
    saidSentBy: 'said_sent_by',
    creditsUsed: 'credits_used',
    neverStarted: 'never_started',
  },
  settledAt: 'settled_at',
};
const ACCOUNT = {
  ...{ activity: 'activity', credits: 'credits', asOf: 'as_of', anchor: 'anchor' },
  ...{ anchoredAt: 'anchored_at', receiptsSince: 'receipts_since' },
};
const EPISODE = { state: 'state', details: 'details', movedAt: 'moved_at' };
const ROW = {
  ...{ topic: 'topic', subject: 'subject', details: 'details', state: 'state', revision: 'revision' },
  ...{ takenRevision: 'taken_revision', since: 'since', dueAt: 'due_at', attempts: 'attempts' },
  ...{ posted: 'posted', postedAt: 'posted_at', spacing: 'spacing' },
};

/**
 * Reads an embedded store that no bot uses. What is over by `now` (ms since 1970) and says nothing more is left out.
 */
export function readEmbedded(db: Database, now: number): Embedded {
  // Where no record was ever written there is no table of them.
  createSqliteKeyv(db.raw);

  function* all<T>(sql: string, read: (row: Row) => T, ...values: (string | number)[]): Iterable<T> {
    for (const row of db.raw.prepare(sql).iterate(...values)) yield read(row);
  }
  const text = (row: Row, name: string) => String(row[name]);
  const withId = (columns: typeof SEND | typeof ACCOUNT | typeof ROW) => (row: Row) => ({
    id: text(row, 'id'),
    set: valuesOf(row, columns),
  });

  return {
    // Where nothing of it was ever taken, 0 stands here, and nothing there.
    sends: () => all('SELECT *, nullif(served_at, 0) AS last_served FROM sends', withId(SEND)),
    chunksOf: (send) =>
      all(
        'SELECT chunks.*, messages FROM chunks JOIN chunk_messages USING (send, idx) WHERE send = ? ORDER BY idx',
        (row) => {
          const set = valuesOf(row, CHUNK);
          // Only what descends from a drafted chunk names it.
          if (row.parent !== null) set.root = String(row.root);
          return { index: Number(row.idx), set, messages: text(row, 'messages') };
        },
        send,
      ),
    permits: () =>
      all(
        'SELECT * FROM permits WHERE live_until > ?',
        (row) => ({ token: text(row, 'token'), lane: text(row, 'lane'), liveUntil: ms(row.live_until) }),
        now,
      ),
    rests: () =>
      all(
        'SELECT * FROM rests WHERE until > ?',
        (row) => ({ lane: text(row, 'lane'), until: ms(row.until) }),
        now,
      ),
    accounts: () => all('SELECT * FROM accounts', withId(ACCOUNT)),
    episodes: () =>
      all('SELECT * FROM episodes', (row) => ({ name: text(row, 'name'), set: valuesOf(row, EPISODE) })),
    rows: () =>
      all('SELECT * FROM outbox', (row) => {
        const { id, set } = withId(ROW)(row);
        // Whoever was posting it is gone, and the answer with it.
        return { id, set: set.state === 'posting' ? { ...set, state: 'due', dueAt: ms(now) } : set };
      }),
    seen: () =>
      all(
        'SELECT * FROM seen WHERE expires_at > ?',
        (row) => ({ key: text(row, 'key'), over: ms(row.expires_at) }),
        now,
      ),
    records: () =>
      all(
        'SELECT * FROM kv WHERE expires IS NULL OR expires > ?',
        (row) => ({ namespace: text(row, 'namespace'), key: text(row, 'key'), value: text(row, 'value') }),
        now,
      ),
    sending: () =>
      Number(db.raw.prepare("SELECT count(*) AS n FROM chunks WHERE state = 'sending'").get()?.n),
  };
}

function valuesOf(row: Row, columns: { [field: string]: string }): Values {
  const set: Values = {};
  for (const [field, column] of Object.entries(columns)) {
    const value = row[column];
    if (value === null || value === undefined) continue;
    set[field] = typeof value === 'number' ? ms(value) : String(value);
  }
  return set;
}

/** The shared store counts whole ms. */
function ms(value: SQLOutputValue | undefined): string {
  return String(Math.ceil(Number(value)));
}
