import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { createCore } from '../../src/core/core.ts';
import { openStore } from '../../src/data/embedded.ts';
import { createSmsClient } from '../../src/sms/client.ts';
import { ANA, aRequest } from '../helpers/core-people.ts';
import { confirmed, ended, endsTold, eventually } from '../helpers/core-sends.ts';
import {
  ACME,
  ACME_KEY,
  ACME_KEY_TOO,
  addInstance,
  BASE_URL,
  createCoreWorld,
  linkTo,
  meet,
  run,
  runLinked,
} from '../helpers/core-world.ts';

describe('polls', () => {
  test('ask once for each account, however many instances and channels pay from it', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const other = await addInstance(first.core, ACME_KEY_TOO, 'Acme too');
    await linkTo(first.core, other, {}, 'C-support');
    await first.stop();
    const before = world.balanceRequests().length;
    await run(world);
    await eventually(() => expect(world.balanceRequests().length).toBeGreaterThan(before));
    await sleep(100);
    expect(world.balanceRequests()).toHaveLength(before + 1);
  });

  test('see use by others: the warning comes without a send', async () => {
    const world = await createCoreWorld();
    const { posted } = await runLinked(world, { balancePollMs: 2000 });
    world.service.setCredits(ACME, 4);
    await eventually(() => expect(posted.map(({ topic }) => topic)).toContain('low_credit'));
  });

  test('read the account with a key that works, when another one is refused', async () => {
    const world = await createCoreWorld();
    const { core, instance, records } = await runLinked(world, { balancePollMs: 2000 });
    await addInstance(core, ACME_KEY_TOO, 'Acme too');
    // The store lists this instance first.
    const [first] = await records.instances.list();
    world.service.revokeKey(first?.name === 'Acme' ? ACME_KEY : ACME_KEY_TOO);
    world.service.setCredits(ACME, 4321);
    await eventually(async () => expect((await core.credit.known(instance))?.credits).toBe(4321));
  });
});

test('the available credits of a refusal may lower the known figure, never raise it', async () => {
  const world = await createCoreWorld();
  const { core, instance } = await runLinked(world);
  world.service.setSwitches({ price: { per: 'message', credits: 10 } });
  for (const { known, available, becomes } of [
    { known: 8, available: 3, becomes: 3 },
    { known: 2, available: 8, becomes: 2 },
  ]) {
    world.service.setCredits(ACME, known);
    await core.credit.read(instance, 'interactive');
    const draft = await core.sends.draft(aRequest());
    if (draft.kind !== 'draft') throw new Error(draft.kind);
    world.service.setCredits(ACME, available);
    await core.sends.confirm(draft.view.id, ANA, null);
    expect((await ended(core, draft.view.id)).result).toMatchObject({
      requiredCredits: 10,
      availableCredits: available,
    });
    await eventually(async () => expect((await core.credit.known(instance))?.credits).toBe(becomes));
  }
});

describe('a step that must happen once', () => {
  test('is the first time for one caller, until ten minutes are over', async () => {
    const world = await createCoreWorld();
    const { core } = await run(world);
    const answers = await Promise.all(Array.from({ length: 20 }, () => core.firstTime('trigger-1')));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await core.firstTime('trigger-2')).toBe(true);
    world.time.advance(600_001);
    expect(await core.firstTime('trigger-1')).toBe(true);
  });

  test('an announcement is posted, and the same id again changes it', async () => {
    const world = await createCoreWorld();
    const { core, posted } = await run(world);
    const row = { id: 'link:C1', topic: 'link', subject: 'C1', details: { linked: true } };
    await core.announce(row);
    await eventually(() => expect(posted).toHaveLength(1));
    await core.announce({ ...row, details: { linked: false } });
    await eventually(() => expect(posted).toHaveLength(2));
    expect(posted[1]).toMatchObject({ id: 'link:C1', details: { linked: false }, posted: { ts: '1' } });
  });
});

describe('stopping', () => {
  test('settles what is in flight and posts its receipt', async () => {
    const world = await createCoreWorld({ limits: { timeoutMs: 3000, leaseMs: 6000 } });
    const { core, stop, ledger, posted } = await runLinked(world, {
      link: { receiptLine: false },
      postingMs: 50,
    });
    world.service.addFault({ kind: 'delay', endpoint: 'send', ms: 200 });
    const { id } = await confirmed(core);
    await eventually(() => expect(world.sendRequests()).toHaveLength(1));
    await stop();
    expect((await ledger.chunks(id))[0]?.state).toBe('sent');
    expect(endsTold(posted, id)).toEqual(['sent']);
  });

  test('takes nothing new from the signal on, whatever the rounds are busy with', async () => {
    const world = await createCoreWorld();
    const { core, stop, ledger, tap } = await runLinked(world);
    // A round that takes long.
    let release = () => {};
    tap.intercept('pendingWork', (real) => async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return real();
    });
    await sleep(50);
    const draft = await core.sends.draft(aRequest());
    if (draft.kind !== 'draft') throw new Error(draft.kind);
    const stopped = stop();
    await core.sends.confirm(draft.view.id, ANA, null);
    await sleep(50);
    release();
    await stopped;
    expect((await ledger.chunks(draft.view.id))[0]?.state).toBe('pending');
    expect(world.sendRequests()).toHaveLength(0);
  });
});

test('on the store as the bot opens it, in real time: sent, and the next start repeats nothing', async () => {
  const world = await createCoreWorld();
  const limits = { permits: 60, windowMs: 60_000, leaseMs: 30_000, timeoutMs: 15_000 };
  const encryptionKeys = [randomBytes(32)];

  async function start() {
    const store = await openStore({
      dataDir: world.folder,
      encryptionKeys,
      limits,
      onDamaged(error) {
        throw error;
      },
    });
    await meet(store.records, 'T1');
    const sms = createSmsClient({ baseUrl: world.service.url, timeoutMs: limits.timeoutMs });
    const core = createCore({
      ...store,
      fingerprintSecret: await store.records.fingerprintSecret(),
      sms,
      baseUrl: BASE_URL,
      limits,
      draftTtlMs: 900_000,
      listUndoMs: 0,
      bulk: { chunkSize: 100, mostCharacters: 1000, minRecipients: 51 },
      bulkRefusals: 'unproven',
      balancePollMs: 300_000,
      repeatGuardMs: 0,
      retention: { days: 90, lookupDays: 400 },
      admins: [],
      clock: systemClock,
      log: pino({ enabled: false }),
    });
    core.start(async () => ({ kind: 'posted', posted: null }));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= core
        .stop()
        .then(() => sms.close())
        .then(() => store.close());
      return stopped;
    };
    onTestFinished(stop);
    return { core, stop };
  }

  const first = await start();
  const instance = await addInstance(first.core);
  await linkTo(first.core, instance);
  const { id } = await confirmed(first.core);
  expect((await ended(first.core, id)).outcome).toBe('sent');
  await first.stop();
  const second = await start();
  expect((await ended(second.core, id)).outcome).toBe('sent');
  await second.stop();
  expect(world.sendRequests()).toHaveLength(1);
});
