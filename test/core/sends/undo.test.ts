import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import type { Core } from '../../../src/core/core.ts';
import { writePauseReason } from '../../../src/core/jobs/pause-reason.ts';
import { TOPICS } from '../../../src/core/topics.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { aList, draftedJob, jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, aPerson, BEN, TEXT } from '../../helpers/core-people.ts';
import { confirmed, ended, endsTold, eventually, viewOf } from '../../helpers/core-sends.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  BIRCH_KEY,
  createCoreWorld,
  linkTo,
  run,
  runLinked,
  saveLimits,
} from '../../helpers/core-world.ts';

const UNDO_MS = 10_000;

/** Lets people undo texts and lists from #sales for ten seconds. */
async function allowUndo(core: Core): Promise<void> {
  const linked = await core.links.find('T1', 'C-sales');
  if (!linked) throw new Error('the fixture has no link');
  await saveLimits(core, linked.link, { ...NO_LIMITS, undoSeconds: 10, listUndoSeconds: 10 });
}

async function withUndo(options: Parameters<typeof runLinked>[1] = {}) {
  const world = await createCoreWorld();
  const running = await runLinked(world, options);
  await allowUndo(running.core);
  return { world, ...running };
}

/** An admin replaces the key that #sales pays with. */
async function replaceKey(
  { core, instance }: Awaited<ReturnType<typeof withUndo>>,
  key: string,
): Promise<void> {
  const taken = await core.instances.replaceKey(instance, ApiKey.from(key), { acceptOtherAccount: true });
  expect(taken.kind).toBe('saved');
}

const requests = ({ service }: Awaited<ReturnType<typeof withUndo>>) =>
  service.requests.filter(({ endpoint }) => endpoint?.startsWith('send'));

describe('a text that can be undone', () => {
  test('waits, and is sent when its time is over', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    expect(send).toMatchObject({ state: 'running', outcome: 'pending' });
    expect(send.startsAt).toBe((send.decidedAt ?? 0) + UNDO_MS);
    await eventually(() => expect(bot.posted.some(({ topic }) => topic === TOPICS.receipt)).toBe(true));
    expect(requests(bot)).toEqual([]);
    bot.world.time.advance(UNDO_MS);
    expect(await ended(bot.core, send.id)).toMatchObject({ outcome: 'sent' });
    expect(requests(bot)).toHaveLength(1);
  });

  test('is never sent once it was undone, costs nothing, and keeps its words for the form', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    const undone = await bot.core.sends.undo(send.id, ANA);
    const after = { state: 'cancelled', undoneBy: ANA.id, text: TEXT, e164: send.e164 };
    expect(undone).toMatchObject({ kind: 'undone', view: after });
    bot.world.time.advance(UNDO_MS);
    await bot.stop();
    const next = await run(bot.world);
    expect(await viewOf(next.core, send.id)).toMatchObject(after);
    expect(requests(bot)).toEqual([]);
    bot.world.time.advance(1_800_000);
    await eventually(async () =>
      expect(await viewOf(next.core, send.id)).toMatchObject({ text: '', e164: '' }),
    );
  });

  test('is undone once: the second person hears that it was undone', async () => {
    const { core } = await withUndo();
    const send = await confirmed(core);
    await core.sends.undo(send.id, ANA);
    expect(await core.sends.undo(send.id, ANA)).toMatchObject({
      kind: 'undone',
      view: { state: 'cancelled' },
    });
  });

  test('can’t be undone once it was taken, nor by anybody else', async () => {
    const { core, world } = await withUndo();
    const send = await confirmed(core);
    expect(await core.sends.undo(send.id, BEN)).toEqual({ kind: 'not_yours', owner: ANA.id });
    expect(await core.sends.undo(send.id, aPerson({ team: 'T2' }))).toEqual({ kind: 'missing' });
    world.time.advance(UNDO_MS);
    await ended(core, send.id);
    expect(await core.sends.undo(send.id, ANA)).toMatchObject({
      kind: 'too_late',
      view: { outcome: 'sent' },
    });
  });

  test('does not say that it waits for the service while it can be undone', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    // The bot looks for due work once more.
    await eventually(() => expect(bot.posted).not.toEqual([]));
    await sleep(500);
    await bot.core.sends.undo(send.id, ANA);
    const told = () => bot.posted.filter(({ topic }) => topic === TOPICS.receipt).map((row) => row.told);
    await eventually(() => expect(told()).toContain('cancelled'));
    expect(told()).toEqual(['pending', 'cancelled']);
  });

  test('says in the end that it was undone, even while its first message is still being posted', async () => {
    const bot = await withUndo({ postingMs: 300 });
    const send = await confirmed(bot.core);
    await bot.core.sends.undo(send.id, ANA);
    await eventually(() => expect(endsTold(bot.posted, send.id)).toEqual(['cancelled']));
  });

  test('begins by itself after a kill -9, no sooner', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    bot.kill();
    const next = await run(bot.world);
    bot.world.time.advance(UNDO_MS / 2);
    await next.ledger.recover();
    expect(await viewOf(next.core, send.id)).toMatchObject({ outcome: 'pending' });
    expect(requests(bot)).toEqual([]);
    bot.world.time.advance(UNDO_MS / 2);
    expect(await ended(next.core, send.id)).toMatchObject({ outcome: 'sent' });
    expect(requests(bot)).toHaveLength(1);
  });

  test('is sent though its channel was unlinked meanwhile: Send is the decision', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    const linked = await bot.core.links.find('T1', 'C-sales');
    if (!linked) throw new Error('the fixture has no link');
    expect(await bot.core.links.remove(linked.link, 'U-admin')).toMatchObject({ kind: 'removed' });
    expect(await bot.core.instances.remove(linked.instance)).toMatchObject({ kind: 'in_use', sends: 1 });
    bot.world.time.advance(UNDO_MS);
    expect(await ended(bot.core, send.id)).toMatchObject({ outcome: 'sent' });
  });

  test('is sent though its author may not send any more: Send is the decision', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    await linkTo(bot.core, bot.instance, { whoCanSend: 'admins' });
    bot.world.time.advance(UNDO_MS);
    expect(await ended(bot.core, send.id)).toMatchObject({ outcome: 'sent' });
  });

  test('is not sent if another account would pay by then: its key was replaced', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    await replaceKey(bot, BIRCH_KEY);
    bot.world.time.advance(UNDO_MS);
    expect(await ended(bot.core, send.id)).toMatchObject({
      outcome: 'not_sent',
      result: { cause: 'other_account' },
    });
    expect(requests(bot)).toEqual([]);
  });

  test('is sent if the same account pays with a new key', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    await replaceKey(bot, ACME_KEY_TOO);
    bot.world.time.advance(UNDO_MS);
    expect(await ended(bot.core, send.id)).toMatchObject({ outcome: 'sent' });
  });

  test('is not sent if the machine slept while it waited', async () => {
    const bot = await withUndo();
    const send = await confirmed(bot.core);
    bot.world.time.advance(3_600_000);
    expect(await ended(bot.core, send.id)).toMatchObject({ outcome: 'not_sent' });
    expect(requests(bot)).toEqual([]);
  });
});

describe('a list that can be undone', () => {
  test('waits as configured if its channel says nothing, and shows its card with the decision', async () => {
    const world = await createCoreWorld();
    const bot = await runLinked(world, { listUndoMs: 5000 });
    const job = await startedJob(bot.core);
    expect(job.startsAt).toBeGreaterThan(bot.ledger.now());
    expect((await jobIn(bot.core, job.id, 'running')).startsAt).toBe(job.startsAt);
    await eventually(() => expect(bot.posted.map(({ topic }) => topic)).toContain(TOPICS.job));
    expect(bot.service.messages).toEqual([]);
    world.time.advance(5000);
    expect((await jobIn(bot.core, job.id, 'finished')).counts).toMatchObject({ sent: 10 });
  });

  test('is undone by the person who pressed Send, and by everybody who may stop it', async () => {
    const bot = await withUndo();
    for (const person of [ANA, BEN, ADMIN]) {
      const job = await startedJob(bot.core);
      expect(await bot.core.jobs.undo(job.id, person)).toMatchObject({
        kind: 'undone',
        view: {
          state: 'cancelled',
          undoneBy: person.id,
          // The values that the form opens with.
          details: { given: { template: 'Hello {2}', recipients: aList(10) } },
        },
      });
    }
    const job = await startedJob(bot.core);
    const guest = aPerson({ id: 'U-guest', isGuest: true });
    expect(await bot.core.jobs.undo(job.id, guest)).toMatchObject({ kind: 'refused', why: 'guest' });
    bot.world.time.advance(UNDO_MS);
    await jobIn(bot.core, job.id, 'finished');
    expect(await bot.core.jobs.undo(job.id, ANA)).toMatchObject({ kind: 'too_late' });
    expect(bot.service.messages).toHaveLength(10);
  });

  test('can be undone while no chunk of it was taken, and its view says so', async () => {
    const bot = await withUndo();
    const job = await startedJob(bot.core);
    expect(await bot.core.jobs.view(job.id)).toMatchObject({ canUndo: true });
    bot.world.time.advance(UNDO_MS);
    expect(await jobIn(bot.core, job.id, 'finished')).not.toHaveProperty('canUndo');
  });

  test('is not undone while credits are missing from the books: an old copy may lack its requests', async () => {
    const bot = await withUndo();
    const { id } = await startedJob(bot.core);
    await bot.ledger.mergeDetails(id, { missing: 2 });
    // Others use the key, so the list goes on.
    expect(await bot.core.jobs.view(id)).toMatchObject({ canUndo: true });
    await bot.ledger.pause(id, writePauseReason({ why: 'books' }));
    expect(await bot.core.jobs.view(id)).not.toHaveProperty('canUndo');
    expect(await bot.core.jobs.undo(id, ANA)).toMatchObject({ kind: 'too_late', view: { state: 'paused' } });
  });

  test('is still undone by who pressed Send if they may not send any more', async () => {
    const bot = await withUndo();
    const job = await startedJob(bot.core);
    const gone = { ...ANA, isGuest: true };
    expect(await bot.core.jobs.undo(job.id, gone)).toMatchObject({ kind: 'undone' });
  });

  test('is sent though its channel will be unlinked, which waits for it', async () => {
    const bot = await withUndo();
    const job = await startedJob(bot.core);
    const linked = await bot.core.links.find('T1', 'C-sales');
    if (!linked) throw new Error('the fixture has no link');
    expect(await bot.core.links.remove(linked.link, 'U-admin')).toEqual({ kind: 'jobs_running', jobs: 1 });
    await bot.core.links.removeWhenDone(linked.link, ADMIN.id);
    bot.world.time.advance(UNDO_MS);
    expect((await jobIn(bot.core, job.id, 'finished')).counts).toMatchObject({ sent: 10 });
  });

  test('pauses if another account would pay; Resume lets the account pay that its card names', async () => {
    const bot = await withUndo();
    const job = await startedJob(bot.core, { count: 2 });
    await replaceKey(bot, BIRCH_KEY);
    bot.world.time.advance(UNDO_MS);
    const { pause } = await jobIn(bot.core, job.id, 'paused');
    expect(pause).toMatchObject({ why: 'other_account', now: 'Birch & Co' });
    expect(requests(bot)).toEqual([]);
    await replaceKey(bot, ACME_KEY);
    expect(await bot.core.jobs.resume(job.id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(bot.core, job.id, 'paused')).pause).toMatchObject({ now: 'Acme Ltd' });
    expect(requests(bot)).toEqual([]);
    expect(await bot.core.jobs.resume(job.id, ANA)).toMatchObject({ kind: 'done' });
    expect((await jobIn(bot.core, job.id, 'finished')).counts).toMatchObject({ sent: 2 });
  });

  test('of another account is not resumed if that one is short of credits', async () => {
    const bot = await withUndo();
    const job = await startedJob(bot.core);
    await replaceKey(bot, BIRCH_KEY);
    bot.world.time.advance(UNDO_MS);
    await jobIn(bot.core, job.id, 'paused');
    expect(await bot.core.jobs.resume(job.id, ANA)).toMatchObject({ kind: 'credits_short', available: 3 });
    expect(requests(bot)).toEqual([]);
  });

  test('a draft is no list to undo', async () => {
    const { core } = await withUndo();
    const draft = await draftedJob(core);
    expect(await core.jobs.undo(draft.id, ANA)).toMatchObject({ kind: 'too_late', view: { state: 'draft' } });
  });
});
