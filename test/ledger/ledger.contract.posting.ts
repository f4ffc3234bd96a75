import { expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Announcement } from '../../src/ledger/model/announcement.ts';
import type { OutboxRow, Poster } from '../../src/ledger/outbox/outbox-types.ts';
import {
  aSingle,
  drain,
  freshToken,
  type OpenLedger,
  SENT,
  startRig,
  taken,
} from '../helpers/ledger-fixtures.ts';

const LEASE_MS = 10_000;

function news(id: string, over: Partial<Announcement> = {}): Announcement {
  return { id, topic: 'receipt', subject: 's1', details: null, ...over };
}

/** A poster with this much room, which posts nothing by itself. */
function createPoster(room = 16) {
  const handed: { token: string; row: OutboxRow }[] = [];
  const open = new Set<string>();
  let wakes = 0;
  const poster: Poster = {
    leaseMs: LEASE_MS,
    token() {
      if (open.size + handed.length >= room) return undefined;
      const token = freshToken();
      open.add(token);
      return token;
    },
    post(token, row) {
      expect(open.delete(token)).toBe(true);
      if (row) handed.push({ token, row });
    },
    lost(token) {
      expect(open.delete(token)).toBe(true);
    },
    wake() {
      wakes += 1;
    },
  };
  return { poster, handed, open, wakes: () => wakes, ids: () => handed.map(({ row }) => row.id) };
}

async function startPosting(open: OpenLedger, room?: number) {
  const rig = await startRig(open);
  const posting = createPoster(room);
  rig.ledger.postWith(posting.poster);
  return { ...rig, ...posting };
}

const takenByOthers = (ledger: Ledger) => ledger.takeDue(freshToken(), LEASE_MS);

export function postingContract(open: OpenLedger): void {
  test('a row that a step makes due is taken in its commit by the process that posts, and handed to it', async () => {
    const { ledger, clock, handed, open: promised, wakes } = await startPosting(open);
    await ledger.announce(news('r1', { details: { a: 1 } }));
    expect(handed.map(({ row }) => row)).toEqual([
      {
        id: 'r1',
        topic: 'receipt',
        subject: 's1',
        details: { a: 1 },
        attempts: 0,
        since: clock.now(),
        areMore: false,
      },
    ]);
    expect([promised.size, wakes()]).toEqual([0, 0]);
    expect(await ledger.nextDueAt()).toBe(clock.now() + LEASE_MS);
    expect(await takenByOthers(ledger)).toBeUndefined();
    await ledger.markPosted('r1', handed[0]?.token ?? '', { ts: '1' });
    clock.advance(LEASE_MS);
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('whatever step makes rows due: a decision, and the end of a send', async () => {
    const { ledger, ids } = await startPosting(open);
    await ledger.draft(aSingle('s1', { topics: ['receipt', 'line'] }));
    await ledger.decide('s1', { to: 'running', by: 'U1', announces: news('receipt:s1') });
    expect(ids()).toEqual(['receipt:s1']);
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, SENT);
    // The bot is still posting the receipt.
    expect(ids()).toEqual(['receipt:s1', 'line:s1']);
  });

  test('without room a row waits, and the poster is woken', async () => {
    const { ledger, ids, wakes } = await startPosting(open, 1);
    await ledger.changeState('e1', {
      from: undefined,
      to: 'low',
      details: null,
      announcements: [news('r1'), news('r2')],
    });
    expect(ids()).toEqual(['r1']);
    expect(wakes()).toBe(1);
    expect(await takenByOthers(ledger)).toMatchObject({ id: 'r2', attempts: 0 });
  });

  test('several steps make the same row due: one hands it over, and no token is left', async () => {
    const { ledger, ids, open: promised } = await startPosting(open, 100);
    const moves = Array.from({ length: 20 }, () =>
      ledger.changeState('e1', {
        from: undefined,
        to: 'low',
        details: null,
        announcements: [news('r1')],
      }),
    );
    expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
    expect(ids()).toEqual(['r1']);
    expect(promised.size).toBe(0);
  });

  test('a step that throws hands nothing over', async () => {
    const { ledger, handed, open: promised } = await startPosting(open);
    await ledger.draft(aSingle('empty', { chunks: [] }));
    const decision = ledger.decide('empty', { to: 'running', by: 'U1', announces: news('r1') });
    await expect(decision).rejects.toThrow('nothing to send');
    expect([handed.length, promised.size]).toEqual([0, 0]);
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('if its process dies, the lease ends and another process posts it', async () => {
    const { ledger, clock, handed } = await startPosting(open);
    await ledger.announce(news('r1'));
    clock.advance(LEASE_MS - 1);
    expect(await takenByOthers(ledger)).toBeUndefined();
    clock.advance(1);
    const other = freshToken();
    expect(await ledger.takeDue(other, LEASE_MS)).toMatchObject({ id: 'r1', attempts: 1 });
    // A poster slower than its lease can mark nothing any more.
    await ledger.markPosted('r1', handed[0]?.token ?? '', { ts: 'late' });
    expect(await ledger.nextDueAt()).toBe(clock.now() + LEASE_MS);
    await ledger.markPosted('r1', other, { ts: '1' });
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('changed while it is being posted, it is taken again in the commit that notes the post', async () => {
    const { ledger, clock, handed } = await startPosting(open);
    await ledger.announce(news('r1', { details: 1 }));
    clock.advance(100);
    await ledger.announce(news('r1', { details: 2 }));
    await ledger.announce(news('r1', { details: 3 }));
    expect(handed).toHaveLength(1);
    const [first] = handed;
    await ledger.markPosted('r1', first?.token ?? '', { ts: '1' });
    const [, second, ...more] = handed;
    expect(more).toEqual([]);
    expect(second?.row).toMatchObject({ details: 3, posted: { ts: '1' }, attempts: 0 });
    expect(second?.token).not.toBe(first?.token);
    // The bot says this again, since the first answer may be lost. This must not mark the change as posted.
    await ledger.markPosted('r1', first?.token ?? '', { ts: '1' });
    expect(await ledger.nextDueAt()).toBe(clock.now() + LEASE_MS);
    await ledger.markPosted('r1', second?.token ?? '', { ts: '1' });
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('a row that waits for its spacing, was refused, or is being posted by another is not handed over', async () => {
    const { ledger, clock, handed, wakes } = await startPosting(open);
    await ledger.announce(news('card', { spacingMs: 3000 }));
    const [card] = handed.splice(0);
    await ledger.announce(news('card'));
    await ledger.markPosted('card', card?.token ?? '', { ts: '1' });
    expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
    clock.advance(3000);
    const other = freshToken();
    await ledger.takeDue(other, LEASE_MS);
    await ledger.announce(news('card'));
    await ledger.postLater('card', other, 500);
    await ledger.announce(news('card'));
    expect(await ledger.nextDueAt()).toBe(clock.now() + 500);
    expect([handed.length, wakes()]).toEqual([0, 0]);
    clock.advance(500);
    expect(await drain(ledger)).toEqual(['card']);
  });
}
