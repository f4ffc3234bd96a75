import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../src/core/accounts/links.ts';
import { createWorkspaceRules } from '../../../src/core/workspaces/workspace-rules.ts';
import { type Database, openDatabase } from '../../../src/store/sqlite/open.ts';
import { startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, aRequest } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY_TOO,
  addInstance,
  boot,
  createCoreWorld,
  linkTo,
  type Run,
  runLinked,
} from '../../helpers/core-world.ts';
import { openRecords } from '../../helpers/open-records.ts';

/** A bot that leaves out damaged records, like the real one, and its database. */
async function start(): Promise<Run & { db: Database; damages: string[] }> {
  const world = await createCoreWorld();
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  const damages: string[] = [];
  const running = await runLinked(world, {
    open: async () => {
      const booted = await boot(world);
      const { cipher } = booted;
      const onDamaged = ({ message }: Error) => void damages.push(message);
      return { ...booted, records: openRecords(db, cipher, onDamaged) };
    },
  });
  return { ...running, db, damages };
}

function damage({ db }: { db: Database }, namespace: string, key: string): void {
  const { changes } = db
    .sql('UPDATE kv SET value = ? WHERE namespace = ? AND key = ?')
    .run('{"val', namespace, key);
  expect(changes).toBe(1);
}

describe('a damaged link', () => {
  test('counts as none until an admin links the channel again', async () => {
    const running = await start();
    const { core, damages } = running;
    const [instance] = await core.instances.list('T1');
    if (!instance) throw new Error('there is one');
    const other = await linkTo(core, instance, {}, 'C-other');
    const draft = await drafted(core);
    damage(running, 'links', 'T1/C-sales');

    expect(await core.sends.draft(aRequest())).toEqual({ kind: 'not_linked', channel: 'C-sales' });
    expect(await core.sends.confirm(draft.id, ANA, { url: 'second' })).toMatchObject({ kind: 'not_linked' });
    expect(damages.at(-1)).toContain('links/T1/C-sales is damaged');
    expect(await core.links.isDamaged('T1', 'C-sales')).toBe(true);
    expect(await core.links.isDamaged('T1', 'C-other')).toBe(false);
    expect(await core.links.isDamaged('T1', 'C-none')).toBe(false);
    expect((await core.links.list('T1')).map(({ channel }) => channel)).toEqual([other.channel]);
    expect(running.sendRequests()).toEqual([]);

    await linkTo(core, instance);
    expect(await core.links.isDamaged('T1', 'C-sales')).toBe(false);
    await ended(core, (await confirmed(core)).id);
    expect(running.sendRequests()).toHaveLength(1);
  });
});

describe('a damaged instance', () => {
  test('counts as gone: its channel can be linked to another one, and others of its account go on', async () => {
    const running = await start();
    const { core } = running;
    const [first] = await core.instances.list('T1');
    if (!first) throw new Error('there is one');
    const other = await addInstance(core, ACME_KEY_TOO, 'Acme too');
    await linkTo(core, other, {}, 'C-other');
    damage(running, 'instances', `T1/${first.id}`);

    expect(await core.sends.draft(aRequest())).toEqual({ kind: 'not_linked', channel: 'C-sales' });
    expect(await core.links.isDamaged('T1', 'C-sales')).toBe(true);
    expect(await core.credit.read(other, 'interactive')).toMatchObject({ kind: 'ok' });
    await ended(core, (await confirmed(core, { channel: 'C-other' })).id);

    // No instance has the key any more, so adding it makes a new one.
    const again = await addInstance(core);
    expect(again.id).not.toBe(first.id);
    await core.links.save({
      team: 'T1',
      channel: 'C-sales',
      instance: again,
      settings: { ...DEFAULT_SETTINGS, threshold: 50 },
      isAsShown: (link) => link === undefined,
      by: ADMIN.id,
    });
    expect(await core.links.isDamaged('T1', 'C-sales')).toBe(false);
    await ended(core, (await confirmed(core)).id);
  });

  test('compares no balance: a list that may lack requests after a failover waits until that is possible', async () => {
    const running = await start();
    const { core, ledger, tap } = running;
    tap.intercept('take', () => async () => ({ kind: 'idle' }));
    const { id, instance } = await startedJob(core);
    await core.jobs.pause(id, ANA);
    await ledger.presumeForgotten({ begunBefore: ledger.now() + 3_600_000, doubt: 'r2' });
    damage(running, 'instances', `T1/${instance}`);
    expect(await core.jobs.resume(id, ANA)).toEqual({ kind: 'no_balance' });
    expect(await core.jobs.view(id)).toMatchObject({ state: 'paused', mayLackRequests: 'r2' });
  });

  test('ends a text that was confirmed for it as not sent', async () => {
    const running = await start();
    const { core, tap } = running;
    tap.intercept('decide', (decide) => async (...asked) => {
      const decided = await decide(...asked);
      const [instance] = await core.instances.list('T1');
      damage(running, 'instances', `T1/${instance?.id}`);
      return decided;
    });
    const { id } = await confirmed(core);
    running.time.advance(11_000);
    await eventually(async () => expect((await core.sends.view(id))?.outcome).toBe('not_sent'));
    expect(running.sendRequests()).toEqual([]);
  });
});

test('damaged rules of a workspace stop nobody; only admins change opt-outs until they choose again', async () => {
  const world = await createCoreWorld();
  const { cipher } = await boot(world);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  const records = openRecords(db, cipher);
  const rules = createWorkspaceRules(records, { listUndoMs: 0, repeatGuardMs: 0 });
  const chosen = { timeZone: 'Asia/Tokyo', whoMayOptOut: 'admins' } as const;
  expect(await rules.of('T1')).toMatchObject({ timeZone: 'UTC', whoMayOptOut: 'everyone' });
  await records.inOneStep(rules.choosing('T1', { chosen, by: 'U1' }));
  damage({ db }, 'rules', 'T1');
  expect(await rules.of('T1')).toMatchObject({
    timeZone: 'UTC',
    isTimeZoneChosen: false,
    whoMayOptOut: 'admins',
  });
  await records.inOneStep(rules.choosing('T1', { chosen, by: 'U1' }));
  expect(await rules.of('T1')).toMatchObject(chosen);
});
