import { expect, test } from 'vitest';
import {
  aJob,
  aSingle,
  confirmed,
  forJobs,
  freshToken,
  neverStarted,
  type OpenLedger,
  SENT,
  startRig,
  taken,
} from '../helpers/ledger-fixtures.ts';

const LEASE_MS = 10_000;
const NOTHING = { waiting: { interactive: 0, background: 0 } };

/** The waiting work, for people who watch the bot. */
export function backlogContract(open: OpenLedger): void {
  test('nothing waits at first, and drafts do not count', async () => {
    const { ledger } = await startRig(open);
    expect(await ledger.backlog()).toEqual(NOTHING);
    await ledger.draft(aSingle('s1'));
    await ledger.draft(aJob('j1', [1, 1]));
    expect(await ledger.backlog()).toEqual(NOTHING);
  });

  test('pending chunks of running sends, and since when the oldest job runs', async () => {
    const { ledger, clock } = await startRig(open);
    await confirmed(ledger, aSingle('s1'));
    const oldest = clock.now();
    await confirmed(ledger, aJob('j1', [2, 2]));
    clock.advance(5000);
    await confirmed(ledger, aJob('j2', [1], { instance: 'i2' }));
    expect(await ledger.backlog()).toEqual({
      waiting: { interactive: 1, background: 3 },
      jobSince: oldest,
    });

    const first = await taken(ledger, forJobs());
    expect((await ledger.backlog()).waiting.background).toBe(2);
    await ledger.settle(first.ref, first.token, neverStarted());
    expect((await ledger.backlog()).waiting.background).toBe(3);

    await ledger.pause('j1', 'person');
    expect(await ledger.backlog()).toEqual({
      waiting: { interactive: 1, background: 1 },
      jobSince: oldest + 5000,
    });
    const last = await taken(ledger, forJobs({ instance: 'i2' }));
    await ledger.settle(last.ref, last.token, SENT);
    expect(await ledger.backlog()).toEqual({ waiting: { interactive: 1, background: 0 } });
  });

  test('since when the oldest message waits: while it is posted and refused, until it has arrived', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    const oldest = clock.now();
    await ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
    clock.advance(1000);
    await ledger.announce({ id: 'r2', topic: 'receipt', subject: 's2', details: null });
    expect((await ledger.backlog()).outboxSince).toBe(oldest);
    const token = freshToken();
    expect((await ledger.takeDue(token, LEASE_MS))?.id).toBe('r1');
    expect((await ledger.backlog()).outboxSince).toBe(oldest);
    await ledger.postLater('r1', token, 60_000);
    clock.advance(60_000);
    const next = await reopen();
    expect((await next.backlog()).outboxSince).toBe(oldest);
    for (const since of [oldest, oldest + 1000]) {
      expect((await next.backlog()).outboxSince).toBe(since);
      const row = await takeOldest();
      await next.markPosted(row.id, row.token, { ts: '1' });
    }
    expect(await next.backlog()).toEqual(NOTHING);

    async function takeOldest() {
      // The ledger hands out rows that were never tried first, so the test puts the other row back at once.
      const rows = [];
      for (;;) {
        const taker = freshToken();
        const row = await next.takeDue(taker, LEASE_MS);
        if (!row) break;
        rows.push({ id: row.id, since: row.since, token: taker });
      }
      rows.sort((a, b) => a.since - b.since);
      const [first, ...others] = rows;
      if (!first) throw new Error('nothing is due');
      for (const other of others) await next.postLater(other.id, other.token, 0);
      return first;
    }
  });

  test('a message that is announced again and again still waits since the first time', async () => {
    const { ledger, clock } = await startRig(open);
    const card = { id: 'c1', topic: 'card', subject: 'j1', details: null, spacingMs: 3000 };
    await ledger.announce(card);
    const since = clock.now();
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    await ledger.postLater('c1', token, 60_000);
    for (const _again of [1, 2]) {
      clock.advance(60_000);
      await ledger.announce(card);
      expect((await ledger.backlog()).outboxSince).toBe(since);
    }
    const announcedAt = clock.now();
    const taker = freshToken();
    // Its last announcement begins the time in which the bot tries to post it.
    expect(await ledger.takeDue(taker, LEASE_MS)).toMatchObject({ since: announcedAt, attempts: 1 });
    clock.advance(1000);
    await ledger.announce(card);
    await ledger.markPosted('c1', taker, { ts: '1' });
    expect((await ledger.backlog()).outboxSince).toBe(announcedAt + 1000);
  });
}
