import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LedgerLimits, LedgerMessage } from '../../src/store/ledger.ts';
import { createSqliteLedger, createSteadyClock } from '../../src/store/sqlite/ledger.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { openSqlite, tempFolder } from '../helpers/ledger-files.ts';
import {
  aJob,
  aPart,
  aSingle,
  confirmed,
  drain,
  forJobs,
  forSingles,
  freshToken,
  halved,
  handClock,
  inFlight,
  LIMITS,
  MARGIN_MS,
  neverStarted,
  partedInto,
  refused,
  resumedAfterAbsence,
  SENT,
  splitInto,
  states,
  taken,
  UNANSWERED,
  unknownSingle,
} from '../helpers/ledger-fixtures.ts';
import { planOf, recordStatements, scannedTables } from './helpers/ledger-statements.ts';
import { ledgerContract } from './ledger.contract.ts';

ledgerContract('SQLite', openSqlite);

/** One boot on a folder, with everything as in production. */
function boot(folder: string, now: () => number, limits: LedgerLimits = LIMITS) {
  const db = openDatabase(folder);
  onTestFinished(() => {
    if (db.raw.isOpen) db.close();
  });
  const ledger = createSqliteLedger(db, limits, now);
  ledger.takeOver();
  return { db, ledger };
}

/** Lets the database grow no further: SQLite then answers as on a full disk. */
function fillDisk(db: Database): void {
  const { page_count: pages } = db.raw.prepare('PRAGMA page_count').get() as { page_count: number };
  db.raw.exec(`PRAGMA max_page_count=${pages}`);
  expect(() => {
    for (;;)
      db.sql('INSERT INTO seen (key, expires_at) VALUES (?, 9e15)').run(`${freshToken()}-${'x'.repeat(900)}`);
  }).toThrow(/full/);
  expect(() => {
    for (;;) db.sql('INSERT INTO seen (key, expires_at) VALUES (?, 9e15)').run(freshToken());
  }).toThrow(/full/);
}

/** All rows of all tables but the filler. */
function dump(db: Database): unknown {
  return ['sends', 'chunks', 'chunk_messages', 'permits', 'rests', 'accounts', 'episodes', 'outbox'].map(
    (table) => db.raw.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
  );
}

describe('SQLite: what is its own', () => {
  test('every step is on the disk before it returns: WAL and synchronous=FULL', () => {
    const { db } = boot(tempFolder(), createSteadyClock());
    expect(db.raw.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(db.raw.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  });

  test('a balance read and a mark of repeats do not wait for the disk; whatever comes after them does', async () => {
    const { db, ledger } = boot(tempFolder(), createSteadyClock());
    const steps = [
      () => ledger.permit('k1', 'interactive', 't1'),
      () => ledger.returnPermit('t1', 'answered'),
      async () => ledger.recordBalance(await ledger.markBalanceRead('a1'), 5),
      () => ledger.firstTime('click', 60_000),
      () => ledger.recover(),
    ];
    for (const step of steps) {
      await step();
      expect(db.raw.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    }
  });

  test('marks of repeats are forgotten once their time is over', async () => {
    const clock = handClock();
    const { db, ledger } = boot(tempFolder(), clock.now);
    await ledger.firstTime('short', 1000);
    await ledger.firstTime('long', 60_000);
    clock.advance(2000);
    await ledger.recover();
    expect(db.raw.prepare('SELECT key FROM seen').all()).toEqual([{ key: 'long' }]);
  });

  test('the clock tells the time in milliseconds since 1970 and never runs backwards', () => {
    const clock = createSteadyClock();
    expect(Math.abs(clock() - Date.now())).toBeLessThan(60_000);
    let last = clock();
    for (let i = 0; i < 1000; i += 1) {
      const next = clock();
      expect(next).toBeGreaterThanOrEqual(last);
      last = next;
    }
  });

  test('an intent is in the file when take returns, for any other reader', async () => {
    const folder = tempFolder();
    const { ledger } = boot(folder, createSteadyClock());
    const { token } = await inFlight(ledger, 's1');
    const reader = openDatabase(folder);
    onTestFinished(() => reader.close());
    expect(reader.raw.prepare('SELECT state, token FROM chunks').get()).toEqual({ state: 'sending', token });
    expect(reader.raw.prepare('SELECT count(*) AS permits FROM permits').get()).toEqual({ permits: 1 });
    const written = readFileSync(join(folder, 'switchboard.db-wal'));
    expect(written.includes(token)).toBe(true);
  });

  test('closing and opening again changes nothing', async () => {
    const folder = tempFolder();
    const clock = handClock();
    const first = boot(folder, clock.now);
    await ledgerWithHistory(first.ledger);
    const before = dump(first.db);
    first.db.close();
    const second = boot(folder, clock.now);
    expect(dump(second.db)).toEqual(before);
  });

  test('a full disk: take throws, and neither permit nor intent nor anything else is half done', async () => {
    const { db, ledger } = boot(tempFolder(), handClock().now);
    await confirmed(ledger, aSingle('s1'));
    await confirmed(ledger, aJob('j1', [100, 100]));
    fillDisk(db);
    const before = dump(db);
    // Too long for the room that is left on any page.
    const account = 'a'.repeat(9000);
    await expect(ledger.take(forSingles({ account }))).rejects.toThrow(/full/);
    await expect(ledger.take(forJobs({ account }))).rejects.toThrow(/full/);
    expect(dump(db)).toEqual(before);
    await expect(ledger.draft(aJob('j2', [100, 100, 100]))).rejects.toThrow(/full/);
    expect(dump(db)).toEqual(before);
    db.raw.exec('PRAGMA max_page_count=1000000');
    expect((await taken(ledger)).send.id).toBe('s1');
    await ledger.draft(aJob('j2', [100, 100, 100]));
  });

  test('a full disk: a settlement that was refused can be repeated with the same token', async () => {
    const { db, ledger } = boot(tempFolder(), handClock().now);
    const { ref, token } = await inFlight(ledger, 's1', { topics: ['receipt'] });
    fillDisk(db);
    const before = dump(db);
    const long = { ...SENT, result: { words: 'x'.repeat(9000) } } as typeof SENT;
    await expect(ledger.settle(ref, token, long)).rejects.toThrow(/full/);
    expect(dump(db)).toEqual(before);
    expect(await states(ledger, 's1')).toEqual(['sending']);
    db.raw.exec('PRAGMA max_page_count=1000000');
    expect((await ledger.settle(ref, token, long)).settled).toBe(true);
    expect(await drain(ledger)).toEqual(['receipt:s1']);
  });

  test('no step reads a whole table of what is over and done with', async () => {
    const folder = tempFolder();
    const db = openDatabase(folder);
    onTestFinished(() => db.close());
    const recorded = recordStatements(db);
    const ledger = createSqliteLedger(recorded.db, LIMITS, handClock().now);
    ledger.takeOver();
    await ledgerWithHistory(ledger);
    await ledger.recover();
    await ledger.openSends('i1');
    await ledger.spent('T1', 'C1', 0);
    await ledger.expireDrafts('T1', 'C1');
    await ledger.instancesWithWork('interactive');
    const grow = new Set(['sends', 'chunks', 'chunk_messages', 'outbox', 'seen']);
    const scans = [...recorded.texts].flatMap((text) =>
      scannedTables(db, text)
        .filter((table) => grow.has(table))
        .map((table) => `${table}: ${text}`),
    );
    expect(scans).toEqual([]);
  });
});

describe('SQLite: a job of many chunks', () => {
  /** The statements of some steps in a job that has two chunks in each state, and how they are carried out. */
  async function planned(steps: (ledger: ReturnType<typeof boot>['ledger']) => Promise<unknown>) {
    const folder = tempFolder();
    const first = boot(folder, handClock().now);
    await confirmed(first.ledger, aJob('job', [4, 4, 4, 4, 4, 4]));
    const { db, texts } = recordStatements(first.db);
    await steps(createSqliteLedger(db, LIMITS, handClock().now));
    return [...texts]
      .filter((text) => text.includes('chunk'))
      .map((text) => ({ text, plan: planOf(first.db, text).join('; ') }));
  }

  test('to take one and to settle it reads the messages of that one, and sorts nothing', async () => {
    const plans = await planned(async (ledger) => {
      for (const settlement of [SENT, refused(0), UNANSWERED]) {
        const { ref, token } = await taken(ledger, forJobs());
        await ledger.settle(ref, token, settlement);
      }
      const { ref, token, chunk } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, halved(chunk.messages));
    });
    expect(plans.length).toBeGreaterThan(5);
    for (const { text, plan } of plans) {
      expect(plan, text).not.toMatch(/TEMP B-TREE/);
      // All of the job's chunks; but the greatest index is found at one end of them.
      const all = /SEARCH chunks USING PRIMARY KEY \(send=\?\)/;
      if (!text.includes('max(idx)')) expect(plan, text).not.toMatch(all);
      if (/SEARCH chunk_messages/.test(plan)) {
        expect(plan, text).toMatch(/SEARCH chunks USING PRIMARY KEY \(send=\? AND idx=\?\)/);
        expect(plan, text).toMatch(/SEARCH chunk_messages .*\(send=\? AND idx=\?\)/);
      }
    }
  });

  test('to count, pause, resume, stop and recover it reads no messages at all', async () => {
    const plans = await planned(async (ledger) => {
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.tally('job');
      await ledger.instancesWithWork('background');
      await ledger.openSends('i1');
      await ledger.pause('job', 'person');
      await ledger.resume('job');
      await ledger.recover();
      await ledger.spent('T1', 'C1', 0);
      await ledger.markBalanceRead('a1');
      await ledger.returnPermit(token, 'answered');
      await ledger.stop(ref.send);
    });
    for (const { text } of plans.filter(({ text }) => text.includes('chunk_messages'))) {
      expect(text).toMatch(/WHERE send = \? AND idx = \?$/);
    }
  });
});

describe('SQLite: the wall clock was set back a day between two runs', () => {
  const DAY = 86_400_000;

  async function setBack(before: (ledger: ReturnType<typeof boot>['ledger']) => Promise<unknown>) {
    const folder = tempFolder();
    const clock = handClock();
    const first = boot(folder, clock.now, { ...LIMITS, permits: 1 });
    await before(first.ledger);
    first.db.close();
    clock.advance(-DAY);
    return { clock, ...boot(folder, clock.now, { ...LIMITS, permits: 1 }) };
  }

  test('no permit outlives a lease, a window and a time-out', async () => {
    const { ledger, clock } = await setBack((first) => first.permit('k1', 'interactive', freshToken()));
    const longest = LIMITS.leaseMs + LIMITS.windowMs + MARGIN_MS + LIMITS.timeoutMs;
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({
      kind: 'wait',
      until: clock.now() + longest,
    });
  });

  test('a confirmed single send is given up: how long ago it was confirmed is not known', async () => {
    const { ledger } = await setBack((first) => confirmed(first, aSingle('s1')));
    expect(await states(ledger, 's1')).toEqual(['not_sent']);
  });

  test('a draft is expired for the same reason', async () => {
    const { ledger } = await setBack((first) => first.draft(aSingle('s1')));
    expect(await ledger.decide('s1', { to: 'running', by: 'U1' })).toMatchObject({ why: 'expired' });
  });

  test.each([
    ['in flight', (first: Parameters<typeof inFlight>[0]) => inFlight(first, 's1')],
    ['unknown', (first: Parameters<typeof inFlight>[0]) => unknownSingle(first, 's1')],
  ])('what was %s can be resent and judged after a lease', async (_state, before) => {
    const { ledger, clock } = await setBack(before);
    expect((await ledger.chunks('s1'))[0]?.state).toBe('unknown');
    clock.advance(LIMITS.leaseMs);
    expect((await ledger.markBalanceRead('a1')).idle).toBe(true);
    await ledger.draft(aSingle('s2', { resends: { send: 's1', indexes: [0] } }));
    expect((await ledger.decide('s2', { to: 'running', by: 'U1' })).won).toBe(true);
  });

  test('a chunk that waits does so ten minutes at most', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('j1', [1]));
      const { ref, token } = await taken(first, forJobs());
      await first.settle(ref, token, neverStarted(60_000));
    });
    clock.advance(600_000);
    await resumedAfterAbsence(ledger, 'j1');
    expect((await taken(ledger, forJobs())).send.id).toBe('j1');
  });

  test('a key rests ten minutes at most', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      const token = freshToken();
      await first.permit('k1', 'interactive', token);
      await first.returnPermit(token, { restMs: 60_000 });
    });
    expect(await ledger.permit('k1', 'interactive', freshToken())).toEqual({
      kind: 'wait',
      until: clock.now() + 600_000,
      rests: true,
    });
  });

  test('what was due to be posted is posted now', async () => {
    const { ledger } = await setBack(async (first) => {
      await first.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
      await first.announce({ id: 'r2', topic: 'receipt', subject: 's2', details: null });
      const token = freshToken();
      const row = await first.takeDue(token, 10_000);
      await first.postLater(row?.id ?? '', token, 5000);
    });
    expect((await drain(ledger)).sort()).toEqual(['r1', 'r2']);
  });

  test('a spaced row waits for its spacing and no longer', async () => {
    const card = { id: 'card', topic: 'card', subject: 'j1', details: null, spacingMs: 3000 };
    const { ledger, clock } = await setBack(async (first) => {
      await first.announce(card);
      await drain(first);
      await first.announce(card);
    });
    expect(await ledger.nextDue()).toBe(clock.now() + 3000);
    clock.advance(3000);
    expect(await drain(ledger)).toEqual(['card']);
  });

  test('so does one that is announced after that', async () => {
    const card = { id: 'card', topic: 'card', subject: 'j1', details: null, spacingMs: 3000 };
    const { ledger, clock } = await setBack(async (first) => {
      await first.announce(card);
      await drain(first);
    });
    await ledger.announce(card);
    expect(await ledger.nextDue()).toBe(clock.now() + 3000);
  });

  test('a job that was served before it waits for a person, and nobody reads of a time that can’t be', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('j1', [1, 1]));
      await taken(first, forJobs());
    });
    const found = await ledger.take(forJobs());
    expect(found.kind).toBe('away');
    // A time from before now would be read as when somebody last worked on it.
    if (found.kind === 'away') expect(found.since).toBeGreaterThan(clock.now());
  });

  test('a job that was served before it does not wait for a new one', async () => {
    const { ledger, clock } = await setBack(async (first) => {
      await confirmed(first, aJob('old', [1, 1]));
      const { ref, token } = await taken(first, forJobs());
      await first.settle(ref, token, { to: 'pending', request: 'never_started', waitMs: 0 });
    });
    await resumedAfterAbsence(ledger, 'old');
    await confirmed(ledger, aJob('new', [1, 1, 1]));
    const order: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      clock.advance(1);
      const { ref, token, send } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, { to: 'not_sent', request: 'never_started', result: null });
      order.push(send.id);
    }
    expect(order).toContain('old');
  });
});

/** A bit of everything: one send in each state, chunks in each, rows due and posted. */
async function ledgerWithHistory(ledger: ReturnType<typeof boot>['ledger']): Promise<void> {
  await ledger.draft(aSingle('draft'));
  const sent = await inFlight(ledger, 'sent', { topics: ['receipt'] });
  await ledger.settle(sent.ref, sent.token, SENT);
  await drain(ledger);
  await unknownSingle(ledger, 'unknown', { topics: ['receipt'] });
  await confirmed(ledger, aJob('job', [2, 2, 2]));
  const chunk = await taken(ledger, forJobs());
  const half = [chunk.chunk.messages.slice(0, 1), chunk.chunk.messages.slice(1)];
  await ledger.settle(chunk.ref, chunk.token, splitInto(half));
  const waiting = await taken(ledger, forJobs());
  await ledger.settle(waiting.ref, waiting.token, neverStarted(5000));
  const mixed = await taken(ledger, forJobs());
  const [one, two] = mixed.chunk.messages as [LedgerMessage, LedgerMessage];
  const parts = [aPart('sent', [one], { otherStatus: 'queued' }), aPart('unknown', [two])];
  await ledger.settle(mixed.ref, mixed.token, partedInto(parts));
  await ledger.draft(aJob('withdrawn', []));
  await ledger.appendChunks('withdrawn', [[one], [two]]);
  await ledger.decide('withdrawn', { to: 'cancelled', by: 'U1' });
  await ledger.draft(aJob('again', [1], { resends: { send: 'unknown', indexes: [0] } }));
  await ledger.decide('again', { to: 'running', by: 'U1' });
  await ledger.chunks('job', { from: 1, limit: 2 });
  await ledger.chunks('job', { state: 'unknown' });
  await confirmed(ledger, aJob('stopped', [1, 1]));
  await ledger.stop('stopped');
  await confirmed(ledger, aJob('paused', [1, 1]));
  await ledger.pause('paused', 'person');
  const marker = await ledger.markBalanceRead('a1');
  await ledger.recordBalance(marker, 70);
  await ledger.evidenceCase('a1');
  await ledger.accountsWithUnknowns();
  await ledger.unknowns('T1');
  await ledger.saySent({ send: 'unknown', indexes: [0] }, 'U1');
  await ledger.moveEpisode('credits:C1', undefined, 'low', null, {
    id: 'warning',
    topic: 'warning',
    subject: 'C1',
    details: { credits: 70 },
    spacingMs: 3000,
  });
  await ledger.nextDue();
  await ledger.firstTime('click', 1000);
  const permit = freshToken();
  await ledger.permit('k1', 'background', permit);
  await ledger.returnPermit(permit, 'unanswered');
  await ledger.tally('job');
  const other = await inFlight(ledger, 'other', { instance: 'i2' });
  await ledger.settle(other.ref, other.token, UNANSWERED);
  const turnedAway = await inFlight(ledger, 'turned away');
  await ledger.settle(turnedAway.ref, turnedAway.token, refused(5000));
  await ledger.take(forSingles());
}
