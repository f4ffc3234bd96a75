import { describe, expect, onTestFinished, test } from 'vitest';
import type { Person } from '../../../src/core/accounts/permissions.ts';
import { instanceState, lowCreditState } from '../../../src/core/state-names.ts';
import type { TokenState } from '../../../src/core/workspaces/find-gone.ts';
import { forgetWorkspace } from '../../../src/core/workspaces/forget-workspace.ts';
import { createRemovals } from '../../../src/core/workspaces/removals.ts';
import { DAY_MS } from '../../../src/ledger/model/days.ts';
import type { Workspace } from '../../../src/records/schema.ts';
import { ApiKey } from '../../../src/sms/api-key.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, settings } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import {
  ACME_KEY,
  ACME_KEY_TOO,
  ANY_LINK,
  BIRCH_KEY,
  createCoreWorld,
  meet,
  type Run,
  run,
  SHORT_LIMITS,
} from '../../helpers/core-world.ts';
import { openRecords } from '../../helpers/open-records.ts';
import { onceRead } from '../../helpers/two-bots.ts';

const inTeam = (team: string): Person => ({ ...ANA, team });

/** A workspace with one linked channel. */
async function linked({ core, records }: Run, team: string, key: string): Promise<void> {
  await meet(records, team);
  const taken = await core.instances.add({ team, name: team, key: ApiKey.from(key), by: ADMIN.id });
  if (taken.kind !== 'saved') throw new Error(taken.kind);
  const { instance } = taken;
  await core.links.save({
    team,
    channel: 'C-sales',
    instance,
    settings: settings(),
    by: ADMIN.id,
    isAsShown: ANY_LINK,
  });
}

async function installed({ records }: Run, id: string, over = {}): Promise<void> {
  const base = { id, isOrgWide: false, botUserId: 'U-bot', sealedTokens: 'sealed', installedAt: 1000 };
  await records.installations.set(id, { ...base, ...over });
}

/**
 * @param slack Slack's answers: in which workspaces an organisation's token may act, and whether an installation's token
 * works. By default none, and the token is gone
 */
function removalsOf(
  running: Run,
  slack: {
    accessOf?(enterprise: string): Promise<string[]>;
    tokenStateOf?(id: string): Promise<TokenState>;
  } = {},
) {
  const { accessOf = async () => [], tokenStateOf = async () => 'gone' } = slack;
  const removals = createRemovals({
    ...running,
    clock: running.time.clock,
    accessOf: async (enterprise) => new Set(await accessOf(enterprise)),
    tokenStateOf,
  });
  onTestFinished(() => removals.stop());
  return removals;
}

/** How many records of each kind a workspace has. */
async function countsOf({ records }: Run, team: string) {
  const { instances, links, workspaces, installations } = records;
  const lists = [instances, links].map(async (kind) => (await kind.list(team)).length);
  const singles = [workspaces, installations].map(async (kind) => ((await kind.get(team)) ? 1 : 0));
  return Promise.all([...lists, ...singles]);
}

test('its drafts expire, its jobs stop, its records go, and nothing of another workspace changes', async () => {
  const world = await createCoreWorld({ limits: SHORT_LIMITS });
  const running = await run(world, { bulk: { chunkSize: 1 } });
  for (const [team, key] of [
    ['T1', ACME_KEY],
    ['T2', ACME_KEY_TOO],
    ['T3', BIRCH_KEY],
  ] as const) {
    await linked(running, team, key);
    await installed(running, team);
  }
  const { core, records } = running;
  for (const team of ['T2', 'T3']) await ended(core, (await confirmed(core, { person: inTeam(team) })).id);
  for (const team of ['T1', 'T2']) {
    const untold = { by: ADMIN.id, instanceId: 'gone', linkedAt: 1, at: Date.now() };
    await records.pendingUnlinks.set(`${team}/C-old/1`, { team, channel: 'C-old', untold });
  }
  world.service.addFault({ kind: 'hang', endpoint: 'send', times: 'always' });
  const draft = await drafted(core, { person: inTeam('T1') });
  const job = await startedJob(core, { person: inTeam('T1'), count: 30 });
  const others = await drafted(core, { person: inTeam('T2') });
  await eventually(async () => expect((await core.jobs.view(job.id))?.counts.inFlight).toBeGreaterThan(0));

  const removals = removalsOf(running);
  removals.start();
  await removals.begin('T1');
  await eventually(async () => expect((await core.jobs.view(job.id))?.state).toBe('stopped'));
  expect((await core.sends.view(draft.id))?.state).toBe('expired');
  // The bot keeps the key until its requests in flight have ended. Then it deletes the key too.
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  const { counts } = (await core.jobs.view(job.id)) ?? job;
  expect(counts.inFlight).toBe(0);
  expect(counts.unknown).toBeGreaterThan(0);
  expect(counts.unknown + counts.cancelled).toBe(30);
  expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 1]);
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  expect(await records.pendingUnlinks.keys()).toEqual(['T2/C-old/1']);
  expect((await core.sends.view(others.id))?.state).toBe('draft');
  // T2 pays from the account that T1 paid from.
  expect(await records.prices.list()).toHaveLength(2);
  await removalsOf(running).begin('T2');
  await eventually(async () => expect(await countsOf(running, 'T2')).toEqual([0, 0, 0, 0]));
  expect(await records.prices.list()).toHaveLength(1);
});

/** T1 has sent a text, and chose to keep its texts for three days. */
async function threeDaysKept() {
  const running = await run(await createCoreWorld());
  await linked(running, 'T1', ACME_KEY);
  await installed(running, 'T1');
  const { id } = await confirmed(running.core, { person: inTeam('T1') });
  await ended(running.core, id);
  await running.core.keepDays.choose('T1', 3, ADMIN.id);
  return { running, id };
}

test('its texts are kept for as many days as its admins chose, even after it is gone', async () => {
  const { running, id } = await threeDaysKept();
  const { ledger } = running;
  await removalsOf(running).begin('T1');
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  await eventually(async () => expect(await ledger.nextDueAt()).toBeUndefined());
  running.time.advance(3 * 86_400_000 + 1);
  // A round of retention runs every ten minutes.
  running.time.wake(600_000);
  await eventually(async () => expect((await ledger.chunks(id))[0]?.messages).toEqual([]));
});

test('none of its alerts and rules stays for ever', async () => {
  const { running } = await threeDaysKept();
  const { core, ledger } = running;
  const [instance] = await core.instances.list('T1');
  const [link] = await core.links.list('T1');
  if (!instance || !link) throw new Error('nothing is linked');
  await core.refusals.set(instance, 'atomic', ADMIN.id);
  await ledger.changeState(lowCreditState(link), { from: undefined, to: 'low', details: null });
  const states = [instanceState('refusals', instance), lowCreditState(link)];
  await removalsOf(running).begin('T1');
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  for (const name of states) expect(await ledger.namedState(name)).toMatchObject({ isOver: true });
});

test('of its records only the choice stays for how long texts are kept', async () => {
  const { running } = await threeDaysKept();
  const { records } = running;
  const team = 'T1';
  await records.workspaceRules.set(team, { team, whoMayOptOut: 'admins', by: ADMIN.id });
  await records.pendingUnlinks.set('T1/C-sales', { team, channel: 'C-sales' });
  // A new kind of record must be there before, too.
  const kinds = Object.entries(records).flatMap(([name, kind]) => ('keys' in kind ? [{ name, kind }] : []));
  const kindsThere = async () => {
    const found = kinds.map(async ({ name, kind }) => ((await kind.keys()).length > 0 ? [name] : []));
    return (await Promise.all(found)).flat();
  };
  await eventually(async () => expect(await kindsThere()).toEqual(kinds.map(({ name }) => name)));
  await removalsOf(running).begin('T1');
  await eventually(async () => expect(await kindsThere()).toEqual(['retention']));
});

test('damaged records of a workspace are deleted as well: its keys, its links, and its open sends', async () => {
  const world = await createCoreWorld();
  const first = await run(world);
  await linked(first, 'T1', ACME_KEY);
  await installed(first, 'T1');
  const draft = await drafted(first.core, { person: inTeam('T1') });
  await first.stop();
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  db.raw.exec(
    `UPDATE kv SET value = replace(value, '"team"', '"tea"') WHERE namespace IN ('instances', 'links')`,
  );
  const records = openRecords(db, first.cipher);
  expect([await records.instances.list('T1'), await records.links.list('T1')]).toEqual([[], []]);
  const { ledger } = first;
  expect(await forgetWorkspace({ ledger, records }, 'T1', async () => true)).toBe(true);
  const left = db.sql("SELECT namespace FROM kv WHERE namespace IN ('instances', 'links')").all();
  expect(left).toEqual([]);
  expect((await ledger.find(draft.id))?.state).toBe('expired');
});

test('the next process ends a removal that a dead process began', async () => {
  const running = await run(await createCoreWorld());
  await linked(running, 'T1', ACME_KEY);
  await installed(running, 'T1', { removedAt: 1500 });
  removalsOf(running).start();
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
});

test('an installation whose token works stays, however late the event is; a missing one is no error', async () => {
  const running = await run(await createCoreWorld());
  await linked(running, 'T1', ACME_KEY);
  await installed(running, 'T1');
  const removals = removalsOf(running, { tokenStateOf: async () => 'works' });
  await removals.begin('T1');
  await removals.begin('T-nobody');
  await removals.stop();
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 1]);
  expect((await running.records.installations.get('T1'))?.removedAt).toBeUndefined();
});

/** Three linked workspaces. The organisation E1 has installed the bot, and the bot met `inOrganisation` in it. */
async function runOrganisation(inOrganisation: readonly string[] = ['T1', 'T2', 'T3']) {
  const running = await run(await createCoreWorld());
  const { workspaces } = running.records;
  for (const [team, key] of [
    ['T1', ACME_KEY],
    ['T2', ACME_KEY_TOO],
    ['T3', BIRCH_KEY],
  ] as const) {
    await linked(running, team, key);
    const known = await workspaces.get(team);
    if (known && inOrganisation.includes(team)) await workspaces.set(team, { ...known, enterprise: 'E1' });
  }
  await installed(running, 'E1', { isOrgWide: true });
  await installed(running, 'T3');
  return running;
}

test('a workspace that another installation serves keeps its records', async () => {
  const running = await runOrganisation(['T1', 'T2']);
  const { records } = running;
  await installed(running, 'T1');

  const removals = removalsOf(running);
  await removals.begin('E1');
  await eventually(async () => expect(await records.installations.get('E1')).toBeUndefined());
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 1]);
  expect(await countsOf(running, 'T2')).toEqual([0, 0, 0, 0]);
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);

  await installed(running, 'E1', { isOrgWide: true });
  const known = await records.workspaces.get('T1');
  expect(known).not.toHaveProperty('enterprise');
  if (known) await records.workspaces.set('T1', { ...known, enterprise: 'E1' });
  await removals.begin('T1');
  await eventually(async () => expect(await records.installations.get('T1')).toBeUndefined());
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 0]);
});

test('a workspace that removes the bot goes on by its organisation’s installation; other organisations do not matter', async () => {
  const running = await runOrganisation([]);
  const { records } = running;
  await installed(running, 'T1');
  const draft = await drafted(running.core, { person: inTeam('T1') });
  const removals = removalsOf(running, {
    accessOf: async () => ['T1'],
    tokenStateOf: async (id) => (id === 'E1' ? 'works' : 'gone'),
  });
  await removals.begin('T1');
  // The record is there at once, since a message may be due meanwhile.
  expect(await records.workspaces.get('T1')).toMatchObject({ enterprise: 'E1' });
  await removals.begin('T3');
  await eventually(async () => expect(await records.installations.list()).toHaveLength(1));
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 0]);
  expect(await records.workspaces.get('T1')).toMatchObject({ enterprise: 'E1' });
  expect((await running.core.sends.view(draft.id))?.state).toBe('draft');
  expect(await countsOf(running, 'T3')).toEqual([0, 0, 0, 0]);
});

test('while Slack can’t say whether its organisation serves it, nothing of it is deleted', async () => {
  const running = await runOrganisation([]);
  const draft = await drafted(running.core, { person: inTeam('T3') });
  const asked: string[] = [];
  const removals = removalsOf(running, {
    async tokenStateOf(id) {
      if (id === 'T3') return 'gone';
      asked.push(id);
      throw new Error('Slack is out of reach');
    },
  });
  await expect(removals.begin('T3')).rejects.toThrow('Slack is out of reach');
  expect(asked).toEqual(['E1']);
  await removals.stop();
  expect(await running.records.installations.get('T3')).not.toHaveProperty('removedAt');
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  expect((await running.core.sends.view(draft.id))?.state).toBe('draft');
});

test('a workspace that its organisation takes away goes alone', async () => {
  const running = await runOrganisation();
  const draft = await drafted(running.core, { person: inTeam('T1') });
  await removalsOf(running).beginOf('E1', ['T1', 'T3', 'T-nobody']);
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  expect((await running.core.sends.view(draft.id))?.state).toBe('expired');
  expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 0]);
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  expect(await countsOf(running, 'E1')).toEqual([0, 0, 0, 1]);
  // From here T3 has only its own installation, and goes with it.
  await removalsOf(running).begin('T3');
  await eventually(async () => expect(await countsOf(running, 'T3')).toEqual([0, 0, 0, 0]));
});

test('a workspace that installs the bot by itself, while it is forgotten for its organisation, stays', async () => {
  const running = await runOrganisation();
  const { workspaces } = running.records;
  const known = await workspaces.get('T3');
  if (known) await workspaces.set('T3', { ...known, removedAt: 1500 });
  const removals = removalsOf(running);
  removals.start();
  await eventually(async () => expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]));
  await removals.stop();
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  await removalsOf(running).begin('E1');
  await eventually(async () => expect(await countsOf(running, 'E1')).toEqual([0, 0, 0, 0]));
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  const now = await workspaces.get('T3');
  expect([now?.enterprise, now?.removedAt]).toEqual([undefined, undefined]);
});

test('a workspace that installs the bot again, while its organisation takes it away, keeps what that wrote', async () => {
  const running = await runOrganisation();
  const again: Workspace = { team: 'T3', name: 'Three', botUserId: 'U-new', firstSeenAt: 1 };
  const records = onceRead(running.records, 'workspaces', () => running.records.workspaces.set('T3', again));
  await removalsOf({ ...running, records }).beginOf('E1', ['T3']);
  expect(await running.records.workspaces.get('T3')).toEqual(again);
});

test('a workspace that belongs to another organisation stays', async () => {
  const running = await runOrganisation();
  const removals = removalsOf(running);
  await removals.beginOf('E2', ['T2']);
  await removals.stop();
  expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 0]);
  expect(await running.records.workspaces.get('T2')).not.toHaveProperty('removedAt');
});

test('a workspace that is given back while its removal waits for a text keeps its keys', async () => {
  const running = await runOrganisation();
  const { core, service, records } = running;
  service.addFault({ kind: 'delay', endpoint: 'send', when: 'after', ms: 1000 });
  const { id } = await confirmed(core, { person: inTeam('T1') });
  await eventually(() => expect(service.messages).toHaveLength(1));
  let served = ['T2'];
  const slack = { accessOf: async () => served, tokenStateOf: async () => 'works' as const };
  const first = removalsOf(running, slack);
  await first.beginOf('E1', ['T1']);
  await first.stop();
  expect((await records.workspaces.get('T1'))?.removedAt).toBeDefined();
  served = ['T1', 'T2'];
  await eventually(async () => expect((await core.sends.view(id))?.outcome).toBe('sent'));
  removalsOf(running, slack).start();
  await eventually(async () => expect((await records.workspaces.get('T1'))?.removedAt).toBeUndefined());
  // The links went when the removal began.
  expect(await countsOf(running, 'T1')).toEqual([1, 0, 1, 0]);
});

test('a removal that waited goes on a day later, even if Slack never says whether the workspace was given back', async () => {
  const running = await runOrganisation();
  const { records, ledger } = running;
  const unclear = {
    accessOf: () => Promise.reject(new Error('Slack fails')),
    tokenStateOf: async () => 'works' as const,
  };
  const known = (await records.workspaces.get('T1')) ?? expect.fail('no workspace');
  const goOn = async (removedAt: number) => {
    await records.workspaces.set('T1', { ...known, removedAt: Math.round(removedAt) });
    const removals = removalsOf(running, unclear);
    removals.start();
    await removals.stop();
  };
  await goOn(ledger.now() - DAY_MS + 60_000);
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 0]);
  await goOn(ledger.now() - DAY_MS);
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
});

test('a workspace that its organisation has given back stays, however late the news of before is', async () => {
  const running = await runOrganisation();
  const draft = await drafted(running.core, { person: inTeam('T1') });
  const asked: string[] = [];
  const removals = removalsOf(running, {
    async accessOf(enterprise) {
      asked.push(enterprise);
      return ['T1'];
    },
  });
  await removals.beginOf('E1', ['T1', 'T2']);
  await eventually(async () => expect(await countsOf(running, 'T2')).toEqual([0, 0, 0, 0]));
  await removals.stop();
  expect(asked).toEqual(['E1']);
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 0]);
  expect(await running.records.workspaces.get('T1')).not.toHaveProperty('removedAt');
  expect((await running.core.sends.view(draft.id))?.state).toBe('draft');
});

test('the event of a workspace with a damaged record is refused, so that it comes again; the others go', async () => {
  const running = await runOrganisation();
  const { workspaces } = running.records;
  await workspaces.set('T1', { team: 'T1' } as Workspace);
  const removals = removalsOf(running);
  const failed = await removals.beginOf('E1', ['T1', 'T2']).catch((error: unknown) => error);
  expect(failed).toMatchObject({
    errors: [{ message: expect.stringContaining('workspaces/T1 is damaged') }],
  });
  await eventually(async () => expect(await countsOf(running, 'T2')).toEqual([0, 0, 0, 0]));
  expect(await running.records.links.list('T1')).toHaveLength(1);
});

test('while Slack can’t say whether a workspace was given back, nothing of it is deleted', async () => {
  const running = await runOrganisation();
  const silent = () => Promise.reject(new Error('Slack is out of reach'));
  const removals = removalsOf(running, { accessOf: silent, tokenStateOf: silent });
  const failed = await removals.beginOf('E1', ['T1']).catch((error: unknown) => error);
  expect(failed).toMatchObject({ errors: [new Error('Slack is out of reach')] });
  await expect(removals.begin('E1')).rejects.toThrow('Slack is out of reach');
  await removals.stop();
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 0]);
  expect(await running.records.workspaces.get('T1')).not.toHaveProperty('removedAt');
  expect(await running.records.installations.get('E1')).not.toHaveProperty('removedAt');
});

describe('an installation about which Slack sends no event', () => {
  const HOUR_MS = 3_600_000;

  /**
   * Resolves after the bot's look after its start, and the look an hour later.
   * @param more how often the bot asks once more whether a token works
   */
  async function lookedTwice(
    running: Run,
    tokenStateOf: (id: string) => Promise<TokenState>,
    accessOf?: (enterprise: string) => Promise<string[]>,
    more = 0,
  ): Promise<void> {
    const all = (await running.records.installations.list()).length;
    const hour = Promise.withResolvers<void>();
    const { clock } = running.time;
    const sleep = (ms: number, signal?: AbortSignal) =>
      Promise.race([clock.sleep(ms, signal), ...(ms === HOUR_MS && asked < 2 * all ? [hour.promise] : [])]);
    const time = { ...running.time, clock: { ...clock, sleep } };
    let asked = 0;
    const removals = removalsOf(
      { ...running, time },
      {
        ...(accessOf && { accessOf }),
        tokenStateOf(id) {
          asked += 1;
          return tokenStateOf(id);
        },
      },
    );
    removals.start();
    await eventually(async () => expect(asked).toBe(all));
    expect((await countsOf(running, 'T1')).slice(0, 3)).toEqual([1, 1, 1]);
    hour.resolve();
    await eventually(async () => expect(asked).toBe(2 * all + more));
  }

  test('nor that an organisation took a workspace away: that workspace goes, and the others stay', async () => {
    const running = await runOrganisation();
    await lookedTwice(
      running,
      async () => 'works',
      async () => ['T2'],
    );
    await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
    expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 0]);
    await eventually(async () =>
      expect(await running.records.workspaces.get('T3')).not.toHaveProperty('enterprise'),
    );
    expect(await countsOf(running, 'T3')).toEqual([1, 1, 1, 1]);
  });

  test('nor that others went, if Slack can’t say all: those wait, and it goes', async () => {
    const running = await runOrganisation();
    await installed(running, 'E2', { isOrgWide: true });
    await installed(running, 'T1');
    await lookedTwice(
      running,
      async (id) => (id.startsWith('E') ? 'works' : 'gone'),
      async (enterprise) => {
        if (enterprise === 'E1') return [];
        throw new Error('Slack is out of reach');
      },
      4,
    );
    const { installations } = running.records;
    await eventually(async () => expect(await countsOf(running, 'T2')).toEqual([0, 0, 0, 0]));
    for (const waits of ['T1', 'T3']) expect(await installations.get(waits)).not.toHaveProperty('removedAt');
  });

  test('goes once Slack has said twice that its token is gone; its work stops', async () => {
    const running = await run(await createCoreWorld());
    await linked(running, 'T1', ACME_KEY);
    await installed(running, 'T1');
    const draft = await drafted(running.core, { person: inTeam('T1') });
    await lookedTwice(running, async () => 'gone');
    await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
    expect((await running.core.sends.view(draft.id))?.state).toBe('expired');
  });

  test('does not keep the bot from stopping while Slack gives no answer', async () => {
    const running = await run(await createCoreWorld());
    await installed(running, 'T1');
    const asked = Promise.withResolvers<void>();
    const removals = removalsOf(running, {
      tokenStateOf() {
        asked.resolve();
        return new Promise(() => undefined);
      },
    });
    removals.start();
    await asked.promise;
    await removals.stop();
  });
});

test('an installation that is made again while its removal is written down stays', async () => {
  const running = await run(await createCoreWorld());
  const { records } = running;
  await linked(running, 'T1', ACME_KEY);
  await installed(running, 'T1');
  const removals = removalsOf({
    ...running,
    records: onceRead(records, 'installations', () => installed(running, 'T1', { installedAt: 5000 })),
  });
  await removals.begin('T1');
  await removals.stop();
  expect((await records.installations.get('T1'))?.removedAt).toBeUndefined();
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 1]);
});

test('a workspace that installs the bot again keeps its new records, even if a bot froze while it deleted the old ones', async () => {
  const running = await run(await createCoreWorld());
  const { core, ledger, records } = running;
  await linked(running, 'T1', ACME_KEY);
  await installed(running, 'T1', { removedAt: 1500 });
  let stoodStill: Promise<void> | undefined;
  let draft: string | undefined;
  /** Another bot ends the removal. Then the workspace installs the bot again. */
  async function meanwhile(): Promise<void> {
    await forgetWorkspace({ ledger, records }, 'T1', async () => true);
    await installed(running, 'T1', { installedAt: 3000 });
    await linked(running, 'T1', ACME_KEY);
    await records.workspaceRules.set('T1', { team: 'T1', whoMayOptOut: 'admins', by: ADMIN.id });
    draft = (await drafted(core, { person: inTeam('T1') })).id;
  }
  const links = {
    ...records.links,
    async keys(team: string) {
      const found = await records.links.keys(team);
      stoodStill ??= meanwhile();
      await stoodStill;
      return found;
    },
  };
  const removals = removalsOf({ ...running, records: { ...records, links } });
  removals.start();
  await eventually(() => expect(stoodStill).toBeDefined());
  await stoodStill;
  await removals.stop();
  expect(await countsOf(running, 'T1')).toEqual([1, 1, 1, 1]);
  expect(await records.workspaceRules.get('T1')).toMatchObject({ whoMayOptOut: 'admins' });
  expect(draft && (await core.sends.view(draft))).toMatchObject({ state: 'draft' });
});

test('a workspace whose removal a dead process began is forgotten by the next one', async () => {
  const running = await runOrganisation();
  const { workspaces } = running.records;
  const known = await workspaces.get('T1');
  if (known) await workspaces.set('T1', { ...known, removedAt: 1500 });
  removalsOf(running).start();
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 0]);
});

test('keys and links of a forgotten workspace are deleted; those that may still be served stay', async () => {
  const running = await runOrganisation([]);
  const { records } = running;
  const draft = await drafted(running.core, { person: inTeam('T1') });
  // A key or link that was written late is left like this.
  await records.workspaces.delete('T1');
  // T2 has no installation, so the environment's token may serve it. T3 has one, but no record of its workspace.
  await records.workspaces.delete('T3');
  removalsOf(running).start();
  await eventually(async () => expect(await countsOf(running, 'T1')).toEqual([0, 0, 0, 0]));
  expect((await running.core.sends.view(draft.id))?.state).toBe('expired');
  for (const kind of ['accountInstances', 'keyHolders'] as const) {
    expect((await records[kind].list()).map(({ team }) => team).sort()).toEqual(['T2', 'T3']);
  }
  expect(await countsOf(running, 'T2')).toEqual([1, 1, 1, 0]);
  expect(await countsOf(running, 'T3')).toEqual([1, 1, 0, 1]);
});
