import { describe, expect, test } from 'vitest';
import { createDriftWatch, type DriftNotice, driftOf } from '../../../src/core/accounts/drift.ts';
import { createRefusals } from '../../../src/core/accounts/list-refusals.ts';
import type { OutboxRow } from '../../../src/ledger/outbox/outbox-types.ts';
import { ACME_KEY_TOO, addInstance, boot, createBooks, createCoreWorld } from '../../helpers/core-world.ts';

const HOUR_MS = 3_600_000;

async function start() {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const books = createBooks(booted);
  const instance = await addInstance(books);
  const { ledger } = booted;
  const refusals = createRefusals({ ledger, ...books, admins: [], fallback: 'unproven' });
  const make = () => createDriftWatch({ ledger, ...books, refusals, admins: ['U-boss'] });
  const drift = make();

  async function record(credits: number): Promise<void> {
    await ledger.recordBalance(await ledger.markBalanceRead(instance.accountId), credits);
  }

  /** Reads a balance; resolves with the notices that follow from it. */
  async function read(credits: number, watch = drift): Promise<DriftNotice[]> {
    await record(credits);
    await watch.check(instance.accountId, true);
    return told();
  }

  async function told(): Promise<DriftNotice[]> {
    const rows: OutboxRow[] = [];
    for (;;) {
      const row = await ledger.takeDue(`t${rows.length}`, 1000);
      if (!row) return rows.map(({ details }) => details as DriftNotice);
      rows.push(row);
      await ledger.markPosted(row.id, `t${rows.length - 1}`, null);
    }
  }

  return { ...books, ledger, world, instance, refusals, drift, make, record, read, told };
}

describe('use elsewhere', () => {
  test('is none if nobody used anything, also below zero', async () => {
    const { read, instance, drift } = await start();
    for (const credits of [-5, -5, 0, 0, -5000]) {
      // A fall since the last figure is use, also below zero.
      const used = credits === -5000;
      expect(await read(credits)).toHaveLength(used ? 2 : 0);
      expect((await drift.of(instance))?.credits).toBe(used ? 5000 : undefined);
    }
  });

  test('of more than 50 credits within a day: each admin reads of it once, with figures and times', async () => {
    const { ledger, read, world, instance, drift } = await start();
    const readAt = async () => (await ledger.account(instance.accountId))?.baselineAt;
    await read(10_000);
    const from = await readAt();
    world.time.advance(HOUR_MS);
    expect(await read(9950)).toEqual([]);
    expect(await drift.of(instance)).toBeUndefined();
    world.time.advance(HOUR_MS);
    const notices = await read(9949);
    expect(notices.map(({ user }) => user).sort()).toEqual(['U-admin', 'U-boss']);
    const expected = { credits: 51, from, to: await readAt(), left: 9949 };
    expect(notices[0]).toMatchObject(expected);
    expect(await drift.of(instance)).toEqual(expected);
    world.time.advance(HOUR_MS);
    expect(await read(9000)).toEqual([]);
  });

  test('of more than 5 % of the balance is reported, too', async () => {
    const { read } = await start();
    await read(100);
    expect(await read(95)).toEqual([]);
    expect(await read(94)).toHaveLength(2);
  });

  test('is reported again after a day without any', async () => {
    const { read, world } = await start();
    await read(1000);
    expect(await read(900)).toHaveLength(2);
    // The use goes on, so the bot says nothing new.
    for (let hours = 0; hours < 60; hours += 20) {
      world.time.advance(20 * HOUR_MS);
      expect(await read(840 - hours * 3)).toEqual([]);
    }
    await read(700);
    world.time.advance(24 * HOUR_MS);
    await read(700);
    expect(await read(600)).toHaveLength(2);
  });

  test('is reported once by any number of bots, even if the one that found it has died', async () => {
    const { record, make, instance, told } = await start();
    await record(1000);
    await record(900);
    await Promise.all([make(), make(), make()].map((watch) => watch.check(instance.accountId, false)));
    expect(await told()).toHaveLength(2);
    await make().check(instance.accountId, true);
    expect(await told()).toEqual([]);
  });

  test('is not reported if an admin said that other programs use a key of the account', async () => {
    const { read, refusals, drift, instance, ...books } = await start();
    const other = await addInstance(books, ACME_KEY_TOO, 'Acme too');
    await refusals.setShared(other, true, 'U-admin');
    await read(1000);
    expect(await read(100)).toEqual([]);
    expect(await drift.of(instance)).toBeUndefined();
  });

  test('is not a top-up, or the possible cost of unknown messages', () => {
    const now = 10 * HOUR_MS;
    const differences = (['topped_up', 'unknown', 'unclear'] as const).map((kind) => ({
      kind,
      from: 0,
      to: now,
      credits: -500,
    }));
    const books = {
      opening: 1000,
      closing: 100,
      days: [{ day: 0, opening: 1000, closing: 100, differences }],
    };
    expect(driftOf(books, now)).toBeUndefined();
  });
});
