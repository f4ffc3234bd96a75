import { describe, expect, test } from 'vitest';
import { createKeyHealth, type KeyNotice } from '../../../src/core/accounts/key-health.ts';
import { ChannelNews } from '../../../src/core/accounts/who-to-tell.ts';
import type { OutboxRow } from '../../../src/ledger/outbox/outbox-types.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  boot,
  createBooks,
  createCoreWorld,
  linkTo,
  runLinked,
} from '../../helpers/core-world.ts';

async function start(admins: string[] = []) {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const books = createBooks(booted);
  const instance = await addInstance(books);
  const { ledger } = booted;
  const make = () => createKeyHealth({ ledger, ...books, admins });
  return { ...booted, ...books, world, instance, health: make(), make };
}

/** Posts the outbox's due rows; resolves with their notices. */
async function drainNotices({ ledger }: Awaited<ReturnType<typeof start>>): Promise<KeyNotice[]> {
  const rows: OutboxRow[] = [];
  for (;;) {
    const row = await ledger.takeDue(`t${rows.length}`, 1000);
    if (!row) return rows.map(({ details }) => details as KeyNotice);
    rows.push(row);
    await ledger.markPosted(row.id, `t${rows.length - 1}`, null);
  }
}

const placesOf = (notices: KeyNotice[]) =>
  notices.map(({ to }) => ('channel' in to ? to.channel : to.user)).sort();

describe('a key that stops working', () => {
  test('is reported to the channels, the people who linked them, its author and the admins, once', async () => {
    const rig = await start(['U-boss', 'U-admin']);
    const { health, instance, links } = rig;
    await linkTo({ links }, instance);
    await linkTo({ links }, instance, {}, 'C-support');
    await Promise.all([1, 2, 3].map(() => health.note(instance, 'key_refused')));
    await health.note(instance, 'key_refused');
    const notices = await drainNotices(rig);
    expect(placesOf(notices)).toEqual(['C-sales', 'C-support', 'U-admin', 'U-boss']);
    expect(
      notices.filter(({ to }) => 'channel' in to).map((notice) => ChannelNews.parse(notice).instead),
    ).toEqual([
      ['U-admin', 'U-boss'],
      ['U-admin', 'U-boss'],
    ]);
    expect(notices[0]).toMatchObject({ instanceName: 'Acme', keyHint: '…aaaa', works: false });
    expect((await rig.instances.get('T1', instance.id))?.keyRefusedAt).toBeDefined();
  });

  test('is reported when it works again, and when it fails once more; a restart repeats nothing', async () => {
    const rig = await start();
    const { health, instance, links, make } = rig;
    await linkTo({ links }, instance);
    const told: [boolean, number][] = [];
    for (const works of [true, false, false, true, true, false]) {
      await health.note(instance, works ? 'works' : 'key_refused');
      await make().note(instance, works ? 'works' : 'key_refused');
      const notices = await drainNotices(rig);
      expect(notices.every((notice) => notice.works === works)).toBe(true);
      told.push([works, notices.length]);
    }
    expect(told).toEqual([
      [true, 0],
      [false, 2],
      [false, 0],
      [true, 2],
      [true, 0],
      [false, 2],
    ]);
  });

  test('a send ends the notice: at once if this bot sent the notice, within a minute if another did', async () => {
    const rig = await start();
    const { health, instance } = rig;
    await health.noteSent(instance);
    await rig.make().note(instance, 'key_refused');
    expect(await drainNotices(rig)).toMatchObject([{ works: false }]);
    await health.noteSent(instance);
    expect(await drainNotices(rig)).toEqual([]);
    rig.world.time.advance(60_000);
    await health.noteSent(instance);
    expect(await drainNotices(rig)).toMatchObject([{ works: true }]);
    await health.note(instance, 'key_refused');
    await drainNotices(rig);
    await health.noteSent(instance);
    expect(await drainNotices(rig)).toMatchObject([{ works: true }]);
  });

  test('a send ends the notice of another bot within a minute, though the store was slow', async () => {
    const rig = await start();
    const { health, instance, tap, world } = rig;
    tap.intercept('namedState', (read) => async (name) => {
      const found = await read(name);
      world.time.advance(30_000);
      return found;
    });
    await health.noteSent(instance);
    tap.intercept('namedState', (read) => read);
    await rig.make().note(instance, 'key_refused');
    await drainNotices(rig);
    world.time.advance(30_000);
    await health.noteSent(instance);
    expect(await drainNotices(rig)).toMatchObject([{ works: true }]);
  });

  test('sends no message to the command on the server that added it', async () => {
    const rig = await start();
    const taken = await rig.instances.add({
      team: 'T1',
      name: 'By hand',
      key: ApiKey.from(ACME_KEY_TOO),
      by: 'admin',
    });
    if (taken.kind !== 'saved') throw new Error(taken.kind);
    await rig.health.note(taken.instance, 'key_refused');
    expect(await drainNotices(rig)).toEqual([]);
  });

  test('a late answer for a key that was replaced meanwhile is reported to nobody', async () => {
    const rig = await start(['U-boss']);
    const { health, instance, instances } = rig;
    await instances.replaceKey(instance, ApiKey.from(ACME_KEY_TOO), { acceptOtherAccount: false });
    await health.note(instance, 'key_refused');
    expect(await drainNotices(rig)).toEqual([]);
    await instances.remove((await instances.get('T1', instance.id)) ?? instance);
    await health.note(instance, 'key_refused');
    expect(await drainNotices(rig)).toEqual([]);
  });
});

describe('in a bot that runs', () => {
  const keyRows = (rows: OutboxRow[]) => rows.filter(({ topic }) => topic === 'key_health');

  test('the first 401 of a send is reported; drafts stop; once the key is replaced they go on, and people hear of it', async () => {
    const world = await createCoreWorld();
    const { core, posted, instance } = await runLinked(world);
    world.service.revokeKey(ACME_KEY);
    const { id } = await confirmed(core);
    expect(await ended(core, id)).toMatchObject({ outcome: 'rejected', result: { cause: 'key_refused' } });
    await eventually(() => expect(keyRows(posted)).toHaveLength(2));
    await expect(confirmed(core)).rejects.toThrow('key_refused');

    const refused = await core.instances.get('T1', instance.id);
    if (!refused) throw new Error('the instance is gone');
    const key = ApiKey.from(ACME_KEY_TOO);
    const replaced = await core.instances.replaceKey(refused, key, { acceptOtherAccount: false });
    if (replaced.kind !== 'saved') throw new Error(replaced.kind);
    await core.credit.read(replaced.instance, 'interactive');
    await eventually(() => expect(keyRows(posted)).toHaveLength(4));
    expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('sent');
  });

  test('a 401 with a code of its own says nothing of the key if its request held a list', async () => {
    const world = await createCoreWorld();
    const { core, instance } = await runLinked(world, { bulk: { chunkSize: 4, minRecipients: 2 } });
    const error = { code: 'SENDER_NOT_ALLOWED', message: 'Not from here' };
    const body = JSON.stringify({ success: false, error });
    world.service.addFault({ kind: 'answer', endpoint: 'bulk', when: 'before', status: 401, body });
    const { id } = await startedJob(core, { count: 4 });
    expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { unknown: 4 }, listRefused: true });
    await core.stop();
    expect((await core.instances.get('T1', instance.id))?.keyRefusedAt).toBeUndefined();
  });

  test('polls find out that a key works again, whichever key the account has beside it', async () => {
    const world = await createCoreWorld();
    const { core, posted } = await runLinked(world, { balancePollMs: 1000 });
    const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
    world.service.addFault({ kind: 'key_revoked', endpoint: 'balance', times: 3 });
    await core.credit.read(other, 'interactive');
    await eventually(() =>
      expect(keyRows(posted).map(({ details }) => (details as KeyNotice).works)).toContain(false),
    );
    await eventually(async () => {
      for (const { id } of await core.instances.list('T1')) {
        expect((await core.instances.get('T1', id))?.keyRefusedAt).toBeUndefined();
      }
    });
    const ends = keyRows(posted).filter(({ details }) => (details as KeyNotice).works);
    expect(ends.length).toBeGreaterThan(0);
  });
});
