import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Announcement } from '../../src/ledger/model/announcement.ts';
import {
  aJob,
  confirmed,
  drain,
  forJobs,
  freshToken,
  type OpenLedger,
  SENT,
  startRig,
  taken,
} from '../helpers/ledger-fixtures.ts';

const LEASE_MS = 10_000;

function news(id: string, details: Announcement['details'] = null): Announcement {
  return { id, topic: 'receipt', subject: 's1', details };
}

export function outboxContract(open: OpenLedger): void {
  test('a named state changes once for each change, from its present state, and its announcement with it', async () => {
    const { ledger, clock, reopen } = await startRig(open);
    expect(await ledger.namedState('credits:C1')).toBeUndefined();
    expect(
      await ledger.changeState('credits:C1', {
        from: 'armed',
        to: 'low',
        details: null,
        announcements: [news('wrong')],
      }),
    ).toBe(false);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        ledger.changeState('credits:C1', {
          from: undefined,
          to: 'low',
          details: { mover: i },
          announcements: [news('warning', { mover: i })],
        }),
      ),
    );
    const winner = answers.indexOf(true);
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await ledger.namedState('credits:C1')).toEqual({
      name: 'credits:C1',
      state: 'low',
      details: { mover: winner },
      movedAt: clock.now(),
    });
    expect(
      await ledger.changeState('credits:C1', {
        from: 'armed',
        to: 'zero',
        details: null,
        announcements: [news('stale')],
      }),
    ).toBe(false);
    const next = await reopen();
    expect(await next.changeState('credits:C1', { from: 'low', to: 'zero', details: null })).toBe(true);
    expect((await next.namedState('credits:C1'))?.state).toBe('zero');
    const row = await next.takeDue(freshToken(), LEASE_MS);
    expect(row).toMatchObject({ id: 'warning', details: { mover: winner } });
    expect(await next.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
  });

  test('a row is due, then posting for one, then posted', async () => {
    const { ledger, clock } = await startRig(open);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    expect(await ledger.nextDueAt()).toBeUndefined();
    await ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: { a: [1] } });
    expect(await ledger.nextDueAt()).toBe(clock.now());
    const takers = Array.from({ length: 20 }, freshToken);
    const rows = await Promise.all(takers.map((token) => ledger.takeDue(token, LEASE_MS)));
    const winner = rows.findIndex((row) => row !== undefined);
    expect(rows.filter(Boolean)).toMatchObject([
      { id: 'r1', topic: 'receipt', subject: 's1', details: { a: [1] }, attempts: 0, since: clock.now() },
    ]);
    expect(await ledger.nextDueAt()).toBe(clock.now() + LEASE_MS);
    await ledger.markPosted('r1', takers[winner] as string, { ts: '1.1' });
    clock.advance(LEASE_MS);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('rows are posted in the order in which they became due', async () => {
    const { ledger, clock } = await startRig(open);
    for (const id of ['b', 'c', 'a']) {
      await ledger.announce(news(id));
      clock.advance(1);
    }
    expect(await drain(ledger)).toEqual(['b', 'c', 'a']);
  });

  test('a plain refusal: the row is due again later, and counts its attempts', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1'));
    for (const attempt of [0, 1, 2]) {
      const token = freshToken();
      expect(await ledger.takeDue(token, LEASE_MS)).toMatchObject({ id: 'r1', attempts: attempt });
      await ledger.postLater('r1', token, 3000);
      expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
      clock.advance(2999);
      expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
      clock.advance(1);
    }
    expect(await drain(ledger)).toEqual(['r1']);
    await ledger.announce(news('r1'));
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({ attempts: 0 });
  });

  test('a row that waits does not hold up the others', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('first'));
    clock.advance(1);
    await ledger.announce(news('second'));
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    await ledger.postLater('first', token, 60_000);
    expect(await drain(ledger)).toEqual(['second']);
  });

  test('a posting row past its deadline is posted once more', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1'));
    const lost = freshToken();
    await ledger.takeDue(lost, LEASE_MS);
    clock.advance(LEASE_MS - 1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    clock.advance(1);
    const second = freshToken();
    expect(await ledger.takeDue(second, LEASE_MS)).toMatchObject({ id: 'r1', attempts: 1 });
    await ledger.markPosted('r1', lost, { ts: 'of the lost one' });
    await ledger.postLater('r1', lost, 0);
    expect(await ledger.nextDueAt()).toBe(clock.now() + LEASE_MS);
    await ledger.markPosted('r1', second, { ts: '2' });
    expect(await ledger.nextDueAt()).toBeUndefined();
  });

  test('a row whose poster keeps it stays with that poster alone', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1'));
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    for (let times = 0; times < 3; times += 1) {
      clock.advance(LEASE_MS - 1);
      expect(await ledger.extendPosting('r1', token, LEASE_MS)).toBe(true);
    }
    expect(await ledger.extendPosting('r1', freshToken(), 10 * LEASE_MS)).toBe(false);
    clock.advance(LEASE_MS - 1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    clock.advance(1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({ id: 'r1' });
    expect(await ledger.extendPosting('r1', token, LEASE_MS)).toBe(false);
  });

  test('a row that a dead boot was posting is due at once on the next', async () => {
    const { ledger, reopen } = await startRig(open);
    await ledger.announce(news('r1'));
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    const next = await reopen();
    await next.markPosted('r1', token, { ts: 'of the dead one' });
    const row = await next.takeDue(freshToken(), LEASE_MS);
    expect(row).toMatchObject({ id: 'r1', attempts: 1 });
    expect(row?.posted).toBeUndefined();
  });

  test('posted stays posted over a restart', async () => {
    const { ledger, reopen } = await startRig(open);
    await ledger.announce(news('r1'));
    await drain(ledger);
    expect(await (await reopen()).takeDue(freshToken(), LEASE_MS)).toBeUndefined();
  });

  test('a poster that asks again with its token keeps the row for another whole lease, and this is no new try', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1'));
    const token = freshToken();
    const row = await ledger.takeDue(token, LEASE_MS);
    clock.advance(LEASE_MS - 1);
    expect(await ledger.takeDue(token, LEASE_MS)).toEqual(row);
    clock.advance(LEASE_MS - 1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    clock.advance(1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({ id: 'r1', attempts: 1 });
  });

  test('announced again, it is due once more, knows its place, and says the new thing', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1', { version: 1 }));
    const first = freshToken();
    await ledger.takeDue(first, LEASE_MS);
    await ledger.markPosted('r1', first, { channel: 'C1', ts: '1.1' });
    clock.advance(5000);
    await ledger.announce(news('r1', { version: 2 }));
    await ledger.announce(news('r1', { version: 3 }));
    const second = freshToken();
    expect(await ledger.takeDue(second, LEASE_MS)).toEqual({
      id: 'r1',
      areMore: false,
      topic: 'receipt',
      subject: 's1',
      details: { version: 3 },
      posted: { channel: 'C1', ts: '1.1' },
      attempts: 0,
      since: clock.now(),
    });
    await ledger.postLater('r1', second, 0);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({ posted: { ts: '1.1' } });
  });

  test('changed while it is being posted, it is due again as soon as that is done', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce(news('r1', { version: 1 }));
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    clock.advance(100);
    await ledger.announce(news('r1', { version: 2 }));
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    await ledger.markPosted('r1', token, { ts: '1.1' });
    expect(await ledger.nextDueAt()).toBe(clock.now());
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({
      details: { version: 2 },
      posted: { ts: '1.1' },
    });
  });

  test('posted with a time for the next post, it is due then, or sooner if it changes', async () => {
    const { ledger, clock } = await startRig(open);
    const postFor = async (againMs?: number) => {
      const token = freshToken();
      const row = await ledger.takeDue(token, LEASE_MS);
      if (row) await ledger.markPosted(row.id, token, { ts: '1' }, againMs);
      return row?.details;
    };
    await ledger.announce(news('r1', { version: 1 }));
    expect(await postFor(5000)).toEqual({ version: 1 });
    expect(await ledger.nextDueAt()).toBe(clock.now() + 5000);
    expect((await ledger.backlog()).outboxSince).toBe(clock.now() + 5000);
    clock.advance(4999);
    expect(await postFor()).toBeUndefined();
    clock.advance(1);
    expect(await postFor(5000)).toEqual({ version: 1 });
    await ledger.announce(news('r1', { version: 2 }));
    expect(await postFor()).toEqual({ version: 2 });
    clock.advance(60_000);
    expect(await postFor()).toBeUndefined();
  });

  describe('a row that is spaced', () => {
    const card = (version: number, spacingMs?: number): Announcement => ({
      ...news('card', { version }),
      ...(spacingMs === undefined ? {} : { spacingMs }),
    });

    async function post(ledger: Ledger): Promise<unknown> {
      const token = freshToken();
      const row = await ledger.takeDue(token, LEASE_MS);
      if (row) await ledger.markPosted(row.id, token, { ts: '1' });
      return row?.details;
    }

    test('is due at once the first time, then only its spacing after its last post', async () => {
      const { ledger, clock, reopen } = await startRig(open);
      await ledger.announce(card(1, 3000));
      clock.advance(50);
      await ledger.announce(card(2, 3000));
      expect(await post(ledger)).toEqual({ version: 2 });
      const posted = clock.now();
      for (const version of [3, 4, 5]) {
        clock.advance(900);
        await ledger.announce(card(version, 3000));
        expect(await ledger.nextDueAt()).toBe(posted + 3000);
        expect(await post(ledger)).toBeUndefined();
      }
      const next = await reopen();
      clock.set(posted + 2999);
      expect(await post(next)).toBeUndefined();
      clock.advance(1);
      expect(await post(next)).toEqual({ version: 5 });
      clock.advance(5000);
      await next.announce(card(6, 3000));
      expect(await post(next)).toEqual({ version: 6 });
    });

    test('keeps its spacing through an announcement without one, until another announcement names one', async () => {
      const { ledger, clock } = await startRig(open);
      await ledger.announce(card(1, 3000));
      await post(ledger);
      await ledger.announce(card(2));
      expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
      await ledger.announce(card(3, 1000));
      expect(await ledger.nextDueAt()).toBe(clock.now() + 1000);
      await ledger.announce(card(4, 0));
      expect(await post(ledger)).toEqual({ version: 4 });
    });

    test('the end of its send is no exception', async () => {
      const { ledger, clock } = await startRig(open);
      await confirmed(ledger, aJob('j1', [1], { topics: ['card'] }));
      await ledger.announce({ ...card(1, 3000), id: 'card:j1' });
      await post(ledger);
      clock.advance(1000);
      const { ref, token } = await taken(ledger, forJobs());
      await ledger.settle(ref, token, SENT);
      expect(await ledger.nextDueAt()).toBe(clock.now() + 2000);
      clock.advance(2000);
      expect(await drain(ledger)).toEqual(['card:j1']);
    });

    test('changed while it is being posted, it is due after its spacing', async () => {
      const { ledger, clock } = await startRig(open);
      await ledger.announce(card(1, 3000));
      const token = freshToken();
      await ledger.takeDue(token, LEASE_MS);
      clock.advance(700);
      await ledger.announce(card(2, 3000));
      clock.advance(700);
      await ledger.markPosted('card', token, { ts: '1' });
      expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
      clock.advance(3000);
      expect(await post(ledger)).toEqual({ version: 2 });
    });

    test('refused, it waits as long as that asks for, however often it is announced meanwhile', async () => {
      const { ledger, clock } = await startRig(open);
      await ledger.announce(card(1, 3000));
      const token = freshToken();
      await ledger.takeDue(token, LEASE_MS);
      await ledger.announce(card(2, 3000));
      await ledger.postLater('card', token, 30_000);
      clock.advance(10_000);
      await ledger.announce(card(3, 3000));
      expect(await ledger.nextDueAt()).toBe(clock.now() + 20_000);
      clock.advance(20_000);
      expect(await post(ledger)).toEqual({ version: 3 });
      await ledger.announce(card(4));
      expect(await ledger.nextDueAt()).toBe(clock.now() + 3000);
    });

    test('others are not held up by it', async () => {
      const { ledger } = await startRig(open);
      await ledger.announce(card(1, 3000));
      await post(ledger);
      await ledger.announce(card(2));
      await ledger.announce(news('r1'));
      expect(await drain(ledger)).toEqual(['r1']);
    });
  });

  test('a token posts no row but its own', async () => {
    const { ledger } = await startRig(open);
    await ledger.announce(news('r1'));
    await ledger.announce(news('r2'));
    const token = freshToken();
    const mine = await ledger.takeDue(token, LEASE_MS);
    const other = mine?.id === 'r1' ? 'r2' : 'r1';
    await ledger.markPosted(other, token, { ts: '1' });
    expect((await ledger.takeDue(freshToken(), LEASE_MS))?.id).toBe(other);
  });

  test('waits need not be whole milliseconds, and nothing is due before its time', async () => {
    const { ledger, clock } = await startRig(open);
    await ledger.announce({ id: 'r1', topic: 'receipt', subject: 's1', details: null });
    const token = freshToken();
    await ledger.takeDue(token, LEASE_MS);
    await ledger.postLater('r1', token, 10.5);
    await ledger.firstTime('click', 10.5);
    clock.advance(10);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toBeUndefined();
    expect(await ledger.firstTime('click', 10.5)).toBe(false);
    clock.advance(1);
    expect(await ledger.takeDue(freshToken(), LEASE_MS)).toMatchObject({ id: 'r1' });
    await ledger.recover();
    expect(await ledger.firstTime('click', 10.5)).toBe(true);
  });
}
