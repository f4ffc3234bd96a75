import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SQLITE_FORMAT } from '../../src/data/upgrade/formats.ts';
import { TABLE_UPGRADES } from '../../src/data/upgrade/table-upgrades.ts';
import { upgradeDatabase } from '../../src/data/upgrade/upgrade-sqlite.ts';
import { createLedger } from '../../src/ledger/create-ledger.ts';
import type { ChunkRecord } from '../../src/ledger/model/chunk-record.ts';
import type { SendRecord } from '../../src/ledger/model/send-record.ts';
import { createSqliteKeyv } from '../../src/records/sqlite/keyv.ts';
import { createSqliteEngine } from '../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { createSteps } from '../../src/store/steps.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import {
  aJob,
  forJobs,
  forSingles,
  freshToken,
  halved,
  handClock,
  LIMITS,
  taken,
} from '../helpers/ledger-fixtures.ts';

/** Format 1's columns of a send and of a chunk. Columns that are missing here had defaults. */
type Columns = { [column: string]: string | number | null };

const FORMAT_ONE = readFileSync(join(import.meta.dirname, 'old/format-1.sql'), 'utf8');

const clock = handClock();
const NOW = clock.now();

const A_SEND: Columns = {
  team: 'T1',
  place: 'C1',
  instance: 'i1',
  kind: 'single',
  state: 'finished',
  details: '{"by":"U1"}',
  topics: '["receipt"]',
  created_at: NOW - 60_000.25,
  expires_at: NOW + 800_000,
  decided_at: NOW - 50_000,
  decided_by: 'U1',
  in_flight_limit: 8,
  unknown_run: 0,
};

const A_CHUNK: Columns = { idx: 0, state: 'sent', size: 1, attempt: 1 };

const messages = (...phones: string[]) => phones.map((phone) => ({ phone, text: `Grüße an ${phone} 👍` }));

/** A database as format 1 wrote it. */
async function formatOne(sends: Columns[], chunks: Columns[], others: [string, Columns][] = []) {
  const folder = tempFolder();
  const raw = new DatabaseSync(join(folder, 'switchboard.db'));
  raw.exec(FORMAT_ONE);
  raw.exec('PRAGMA user_version=1');
  const rows: [string, Columns][] = [
    ...sends.map((send) => ['sends', { ...A_SEND, ...send }] as [string, Columns]),
    ...chunks.map((chunk) => ['chunks', { ...A_CHUNK, ...chunk }] as [string, Columns]),
    ...others,
  ];
  for (const [table, row] of rows) {
    const names = Object.keys(row);
    raw
      .prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
      .run(...Object.values(row));
  }
  raw.close();
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  await upgradeDatabase(db, clock.now);
  const ledger = createLedger(createSteps(createSqliteEngine(db, clock.now)), LIMITS);
  await ledger.takeOver();
  return { db, ledger };
}

describe('a database of format 1', () => {
  test('is upgraded to the format of today', async () => {
    const { db } = await formatOne([], []);
    expect(db.raw.prepare('PRAGMA user_version').get()).toEqual({ user_version: SQLITE_FORMAT });
    expect(db.raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  });

  test('keeps its sends and chunks, messages and all', async () => {
    const list = messages('447900000001', '447900000002');
    const { ledger } = await formatOne(
      [
        { id: 's1', ended_at: NOW - 40_000 },
        { id: 'j1', kind: 'job', state: 'paused', pause_reason: 'person', decided_at: null, topics: '[]' },
      ],
      [
        {
          send: 's1',
          messages: JSON.stringify(messages('447900000003')),
          token: 't1',
          account: 'a1',
          result: '{"messageIds":[7]}',
          credits_used: 2,
          settled_at: NOW - 45_000,
        },
        {
          send: 'j1',
          state: 'unknown',
          messages: JSON.stringify(list),
          size: 2,
          deadline: NOW + 5000.5,
          refusals: 2,
          account: 'a1',
          evidence: '{"charged":"none"}',
          resent_as: 's9',
          token: 't2',
        },
      ],
    );
    expect(await ledger.find('s1')).toEqual({
      id: 's1',
      team: 'T1',
      channelId: 'C1',
      instance: 'i1',
      kind: 'single',
      state: 'finished',
      details: { by: 'U1' },
      topics: ['receipt'],
      createdAt: NOW - 60_000,
      expiresAt: NOW + 800_000,
      decidedAt: NOW - 50_000,
      decidedBy: 'U1',
      endedAt: NOW - 40_000,
      inFlightLimit: 8,
      unknownRun: 0,
    } satisfies SendRecord);
    expect(await ledger.find('j1')).toMatchObject({ kind: 'job', state: 'paused', pauseReason: 'person' });
    expect(await ledger.chunks('s1')).toEqual([
      {
        send: 's1',
        index: 0,
        state: 'sent',
        messages: messages('447900000003'),
        attempt: 1,
        refusals: 0,
        token: 't1',
        account: 'a1',
        result: { messageIds: [7] },
        settledAt: NOW - 45_000,
      },
    ] satisfies ChunkRecord[]);
    expect(await ledger.chunks('j1')).toEqual([
      {
        send: 'j1',
        index: 0,
        state: 'unknown',
        messages: list,
        attempt: 1,
        refusals: 2,
        token: 't2',
        deadline: NOW + 5001,
        account: 'a1',
        evidence: { charged: 'none' },
        resentAs: 's9',
      },
    ] satisfies ChunkRecord[]);
    expect(await ledger.tally('s1')).toMatchObject({ creditsUsed: 2, otherStatuses: {} });
    expect(await ledger.spentSince('T1', 'C1', 0)).toEqual({ credits: 2, messages: 1 });
  });

  test('keeps the texts that a draft resends, and can still decide it', async () => {
    const { ledger } = await formatOne(
      [
        { id: 'first' },
        { id: 'again', state: 'draft', resends_send: 'first', resends_index: 0, decided_at: null },
      ],
      [
        { send: 'first', state: 'unknown', messages: JSON.stringify(messages('447900000001')) },
        { send: 'again', state: 'pending', attempt: 0, messages: JSON.stringify(messages('447900000001')) },
      ],
    );
    expect((await ledger.find('first'))?.resends).toBeUndefined();
    expect((await ledger.find('again'))?.resends).toEqual({ send: 'first', indexes: [0] });
    expect((await ledger.decide('again', { to: 'running', by: 'U1' })).won).toBe(true);
    expect((await ledger.chunks('first'))[0]?.resentAs).toBe('again');
    expect((await taken(ledger, forSingles())).chunk.messages).toEqual(messages('447900000001'));
  });

  test('knows which drafted chunk its split ones descend from, so that they share its requests', async () => {
    const split = { send: 'j1', state: 'split', size: 4 };
    const { ledger } = await formatOne(
      [{ id: 'j1', kind: 'job', state: 'running' }],
      [
        { ...split, idx: 0, messages: JSON.stringify(messages('1', '2', '3', '4')) },
        { ...split, idx: 1, messages: JSON.stringify(messages('5', '6', '7', '8')) },
        { ...split, idx: 2, parent: 1, size: 2, messages: JSON.stringify(messages('5', '6')) },
        { send: 'j1', idx: 3, parent: 1, size: 2, messages: JSON.stringify(messages('7', '8')) },
        {
          send: 'j1',
          idx: 4,
          parent: 2,
          state: 'pending',
          attempt: 0,
          size: 2,
          messages: JSON.stringify(messages('5', '6')),
        },
      ],
    );
    const { ref, token, chunk } = await taken(ledger, forJobs());
    // Chunk 1 and its descendants made four requests, and there are two children.
    const tooMany = halved(chunk.messages, { mostRequests: 5 });
    expect(await ledger.settle(ref, token, tooMany)).toMatchObject({ chunk: { state: 'rejected' } });
  });

  test('keeps its outbox, which has no spacing until somebody names one', async () => {
    const { ledger } = await formatOne(
      [],
      [],
      [
        [
          'outbox',
          {
            id: 'receipt:s1',
            topic: 'receipt',
            subject: 's1',
            details: '{"a":1}',
            state: 'posted',
            revision: 2,
            taken_revision: 2,
            since: NOW - 1000,
            due_at: NOW - 1000,
            posted: '{"ts":"1.1"}',
          },
        ],
      ],
    );
    expect(await ledger.nextDueAt()).toBeUndefined();
    await ledger.announce({ id: 'receipt:s1', topic: 'receipt', subject: 's1', details: null });
    expect(await ledger.takeDue(freshToken(), 1000)).toMatchObject({
      id: 'receipt:s1',
      posted: { ts: '1.1' },
    });
  });

  test('takes a job of today', async () => {
    const { ledger } = await formatOne([], []);
    await ledger.draft(aJob('j1', []));
    await ledger.appendChunks('j1', [messages('447900000001')]);
    await ledger.decide('j1', { to: 'running', by: 'U1' });
    expect((await taken(ledger, forJobs())).chunk.messages).toEqual(messages('447900000001'));
  });

  test('forgets the words of drafts that nobody sent, and knows what open drafts keep', async () => {
    const kept = { by: 'U1', list: { toSend: 1 } };
    const details = JSON.stringify({
      by: 'U1',
      e164: '+447900000001',
      reply: { responseUrl: 'https://hooks' },
      given: { recipients: '+447900000001' },
      list: { toSend: 1, samples: {}, wrongRows: [] },
    });
    const states = ['cancelled', 'superseded', 'expired', 'draft', 'finished'];
    const list = JSON.stringify(messages('447900000001'));
    const { ledger } = await formatOne(
      states.map((state) => ({ id: state, state, details })),
      states.map((state) => ({
        send: state,
        state: { draft: 'pending', finished: 'sent' }[state] ?? 'cancelled',
        messages: list,
      })),
    );
    for (const state of ['cancelled', 'superseded', 'expired']) {
      expect(await ledger.find(state)).toMatchObject({ state, details: kept });
      expect((await ledger.find(state))?.details).toEqual(kept);
      expect(await ledger.chunks(state)).toEqual([]);
    }
    for (const state of ['draft', 'finished']) {
      expect((await ledger.find(state))?.details).toEqual(JSON.parse(details));
      expect(await ledger.chunks(state)).toHaveLength(1);
    }
    expect((await ledger.decide('draft', { to: 'cancelled', by: 'U1' })).send?.details).toEqual(kept);
  });

  test('names each account’s instances, and the links that are to go', async () => {
    const record = (value: object) => JSON.stringify({ value });
    const accountId = 'https://sms.example.com/api/v1#7';
    const folder = tempFolder();
    const raw = new DatabaseSync(join(folder, 'switchboard.db'));
    for (const step of [FORMAT_ONE, ...TABLE_UPGRADES.slice(0, 1)]) raw.exec(step);
    raw.exec('PRAGMA user_version=2');
    createSqliteKeyv(raw);
    const keep = raw.prepare('INSERT INTO kv (namespace, key, value) VALUES (?, ?, ?)');
    keep.run('instances', 'T1/i1', record({ team: 'T1', id: 'i1', accountId }));
    keep.run('instances', 'T1/damaged', 'not JSON');
    keep.run('instances', 'T1/empty', record({}));
    keep.run('links', 'T1/C0', 'not JSON');
    keep.run('links', 'T1/C1', record({ team: 'T1', channel: 'C1' }));
    keep.run('links', 'T1/C2', record({ team: 'T1', channel: 'C2', leaving: { by: 'U1' } }));
    raw.close();
    const db = openDatabase(folder);
    onTestFinished(() => db.close());
    await upgradeDatabase(db);
    const of = (namespace: string) =>
      db.raw.prepare('SELECT key, value FROM kv WHERE namespace = ?').all(namespace);
    expect(of('payers')).toEqual([{ key: `${accountId}/T1/i1`, value: record({ team: 'T1', id: 'i1' }) }]);
    expect(of('leavers')).toEqual([{ key: 'T1/C2', value: record({ team: 'T1', channel: 'C2' }) }]);
  });
});
