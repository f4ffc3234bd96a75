import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eraseNumber } from '../../../src/admin/erase-number.ts';
import type { Tools } from '../../../src/admin/tools.ts';
import type { Core } from '../../../src/core/core.ts';
import { createHashNumber } from '../../../src/core/history/hash-number.ts';
import { createKeepDays } from '../../../src/core/history/keep-days.ts';
import { createRetention } from '../../../src/core/history/retention.ts';
import { HASH_CHARACTERS } from '../../../src/ledger/look-up/number-leaf.ts';
import { dayOf } from '../../../src/ledger/model/days.ts';
import { sends } from '../../../src/ledger/model/send-documents.ts';
import { createCipher } from '../../../src/records/encryption.ts';
import type { RecordError } from '../../../src/records/namespace.ts';
import { addressOf } from '../../../src/store/collection.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { startedJob } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { confirmed, drafted, ended, eventually } from '../../helpers/core-sends.ts';
import { createTime } from '../../helpers/core-time.ts';
import { type CoreWorld, createCoreWorld, type Run, run, runLinked } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';
import { aSingle, REJECTED, SENT, startRig, taken } from '../../helpers/ledger-fixtures.ts';
import { openRecords } from '../../helpers/open-records.ts';
import { openInMemory } from '../../ledger/ledger-rigs.ts';

const DAY_MS = 86_400_000;
const reply = { user: ANA.id, responseUrl: 'https://hooks.slack.example/respond' };
/** Words and numbers of a text and a list of Ana's. */
const PRIVATE = ['79460958', 'Wombat', 'Name 0', 'Hello {2}', 'Hello Name', reply.responseUrl];

/** All bytes of the store's files. */
function bytesOf({ folder }: CoreWorld): string {
  const files = readdirSync(folder).filter((name) => name.startsWith('switchboard.db'));
  return files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
}

async function jobEnded(core: Core, id: string): Promise<void> {
  await eventually(async () => expect((await core.jobs.view(id))?.state).toBe('finished'));
}

/** The bot sends a text and a list, posts everything about them, and lists them in the look-up by number. */
async function sentBoth(world: CoreWorld, { core, ledger, fingerprintSecret, stop }: Run) {
  const { id: single } = await confirmed(core, { text: 'Wombat', reply });
  await ended(core, single);
  const { id: job } = await startedJob(core, { reply });
  await jobEnded(core, job);
  // The list's card changes once in three seconds.
  world.time.advance(3000);
  await eventually(async () => expect(await ledger.nextDueAt()).toBeUndefined());
  while (await ledger.listNumbers(createHashNumber(fingerprintSecret)));
  await stop();
  for (const word of PRIVATE) expect(bytesOf(world), word).toContain(word);
  return { single, job };
}

/** Starts a bot; resolves after its first round of retention. */
async function afterRetention(world: CoreWorld, options: Parameters<typeof run>[1] = {}): Promise<Run> {
  const through = Promise.withResolvers<void>();
  world.time.duringSleepOf(600_000, () => through.resolve());
  const running = await run(world, options);
  await through.promise;
  return running;
}

describe('retention', () => {
  test('deletes a damaged send, list or chunk with its words, when others of its age lose theirs', async () => {
    const world = await createCoreWorld();
    const { single, job } = await sentBoth(world, await runLinked(world));
    const db = openDatabase(world.folder);
    const engine = createSqliteEngine(db);
    await damageDocument(engine, addressOf(sends, single), 'v1');
    await damageDocument(engine, addressOf(sends, job), 'v2');
    db.close();
    world.time.advance(89 * DAY_MS);
    const early = await afterRetention(world);
    await early.stop();
    expect(bytesOf(world)).toContain('Wombat');
    world.time.advance(2 * DAY_MS);
    const { stop } = await afterRetention(world);
    await stop();
    const left = openDatabase(world.folder);
    onTestFinished(() => left.close());
    for (const table of ['d_sends', 'd_chunks', 'd_texts'])
      expect([table, left.raw.prepare(`SELECT id FROM ${table}`).all()]).toEqual([table, []]);
    for (const word of PRIVATE) expect(bytesOf(world), word).not.toContain(word);
  });

  test('nobody reads that an unknown text was answered, or arrived, because its words are gone', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world, { bulk: { chunkSize: 100, minRecipients: 2 } });
    world.service.addFault({ kind: 'reset', endpoint: 'send', when: 'after' });
    world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'after' });
    const { id: single } = await confirmed(first.core, { reply });
    expect(await ended(first.core, single)).toMatchObject({ outcome: 'unknown' });
    const { id: job } = await startedJob(first.core, { reply });
    await jobEnded(first.core, job);
    await first.core.sends.leaveUnknown(single, ANA);
    await first.core.jobs.leaveUnknown(job, ANA);
    world.time.advance(91 * DAY_MS);
    await eventually(async () => expect(await first.ledger.nextDueAt()).toBeUndefined());
    while (await first.ledger.listNumbers(createHashNumber(first.fingerprintSecret)));
    await first.stop();
    const { core } = await afterRetention(world);
    expect(await core.sends.view(single)).toMatchObject({ outcome: 'unknown', e164: '' });
    expect(await core.sends.saySent(single, ANA)).toEqual({ kind: 'too_late', why: 'forgotten' });
    expect(await core.jobs.draftResend(job, ANA, {})).toEqual({ kind: 'forgotten' });
  });

  test('keeps an opt-out as long as it holds, sealed; one that was taken back goes with the look-up’s entries', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const out = { to: 'out', by: ANA.id, via: 'command', reason: 'Wombat' } as const;
    await first.core.optOuts.change('T1', ['447700900123', '447700900456'], out);
    await first.core.optOuts.change('T1', ['447700900456'], { ...out, to: 'in' });
    await first.stop();
    for (const word of ['7700900123', '7700900456', 'Wombat']) expect(bytesOf(world)).not.toContain(word);
    world.time.advance(401 * DAY_MS);
    const { core } = await afterRetention(world);
    expect(await core.optOuts.find('T1', '447700900123')).toMatchObject({
      isOut: true,
      e164: '+447700900123',
    });
    expect(await core.optOuts.find('T1', '447700900456')).toBeUndefined();
  });

  test('after the last day no word, number or column name is in the bytes of any file; credits and outcomes are', async () => {
    const world = await createCoreWorld();
    const { single, job } = await sentBoth(world, await runLinked(world));
    world.time.advance(90 * DAY_MS + 60_000);
    const { core } = await afterRetention(world);
    for (const word of PRIVATE) expect(bytesOf(world), word).not.toContain(word);
    expect(await core.sends.view(single)).toMatchObject({
      state: 'finished',
      outcome: 'sent',
      e164: '',
      text: '',
      decidedBy: ANA.id,
      result: { cause: 'accepted', creditsUsed: 1 },
      decidedAt: expect.any(Number),
    });
    expect(await core.jobs.view(job)).toMatchObject({
      state: 'finished',
      counts: { sent: 10, total: 10 },
      creditsUsed: 10,
      decidedBy: ANA.id,
      details: { given: { template: '', isForgotten: true }, list: { toSend: 10 } },
    });
    expect(await core.jobs.results(job)).toEqual([]);
    const rows = await core.homes.lastSends(ANA);
    expect(rows.find(({ id }) => id === job)).toMatchObject({ kind: 'job', isForgotten: true });
  });

  test('before the last day everything is as it was', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { single, job } = await sentBoth(world, first);
    const before = [await first.core.sends.view(single), await first.core.jobs.view(job)];
    world.time.advance(90 * DAY_MS - 60_000);
    const { core } = await afterRetention(world);
    expect([await core.sends.view(single), await core.jobs.view(job)]).toEqual(before);
  });

  test('a workspace may choose fewer days, not more', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { single } = await sentBoth(world, first);
    await expect(first.core.keepDays.choose('T1', 2, ANA.id)).rejects.toThrow(RangeError);
    await expect(first.core.keepDays.choose('T1', 91, ANA.id)).rejects.toThrow(RangeError);
    await first.core.keepDays.choose('T1', 3, ANA.id);
    world.time.advance(2 * DAY_MS);
    const young = await afterRetention(world);
    expect((await young.core.sends.view(single))?.text).toBe('Wombat');
    await young.stop();
    world.time.advance(DAY_MS + 60_000);
    const { core } = await afterRetention(world);
    expect((await core.sends.view(single))?.text).toBe('');
    expect(await core.keepDays.of('T1')).toBe(3);
    await core.keepDays.choose('T1', undefined, ANA.id);
    expect(await core.keepDays.of('T1')).toBe(90);
  });

  test('a draft that nobody sent is deleted, with its messages to Slack', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { id } = await drafted(first.core, { text: 'Wombat' });
    await first.stop();
    world.time.advance(900_000);
    const second = await run(world);
    await eventually(async () => expect((await second.core.sends.view(id))?.state).toBe('expired'));
    await eventually(async () => expect(await second.ledger.nextDueAt()).toBeUndefined());
    await second.stop();
    world.time.advance(91 * DAY_MS);
    const { core } = await afterRetention(world);
    expect(await core.sends.view(id)).toBeUndefined();
    expect(bytesOf(world)).not.toContain(id);
  });

  test('what is left of a text goes when the look-up does not know it any more', async () => {
    const world = await createCoreWorld();
    const { single, job } = await sentBoth(world, await runLinked(world));
    world.time.advance(399 * DAY_MS);
    const before = await afterRetention(world);
    expect(await before.core.sends.view(single)).toBeDefined();
    await before.stop();
    world.time.advance(2 * DAY_MS);
    const { core } = await afterRetention(world);
    expect(await core.sends.view(single)).toBeUndefined();
    expect(await core.jobs.view(job)).toBeUndefined();
  });

  test('the figures of statements stay: credits and messages by channel, person and day, and balances', async () => {
    const world = await createCoreWorld();
    const first = await runLinked(world);
    const { accountId } = first.instance;
    await sentBoth(world, first);
    const days = { from: 0, to: dayOf(world.time.now()) };
    const before = await first.ledger.accountStatement(accountId, days);
    expect(before?.spending).toMatchObject([{ channelId: 'C-sales', by: ANA.id }]);
    await first.stop();
    world.time.advance(1000 * DAY_MS);
    const { ledger } = await afterRetention(world);
    expect(await ledger.accountStatement(accountId, days)).toEqual(before);
  });
});

test('the files are scrubbed also if the clock was set back since they were scrubbed last', async () => {
  const { ledger } = await startRig(openInMemory);
  let scrubbed = 0;
  const retention = createRetention({
    ledger,
    clock: createTime().clock,
    log: pino({ level: 'silent' }),
    limits: { days: 90, lookupDays: 365 },
    repeatGuardMs: DAY_MS,
    keepDays: createKeepDays({ retention: {} as never }, { days: 90 }),
    hashOf: (_team, phone) => phone,
    scrub: {
      everyMs: DAY_MS,
      run: async () => {
        scrubbed += 1;
        return true;
      },
    },
  });
  const scrubbedAt = ledger.now() + 300 * DAY_MS;
  await ledger.changeState('erasure', { from: undefined, to: 'owed', details: { scrubbedAt } });
  await retention.forget(new AbortController().signal);
  await retention.forget(new AbortController().signal);
  expect(scrubbed).toBe(1);
  expect((await ledger.namedState('erasure'))?.details).toEqual({ scrubbedAt: ledger.now() });
});

test('text that an operator erases while somebody reads the file leaves the file in the next round', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world);
  const { id } = await confirmed(first.core, { text: 'Wombat' });
  await ended(first.core, id);
  await eventually(async () => expect(await first.ledger.nextDueAt()).toBeUndefined());
  await first.stop();
  const reader = openDatabase(world.folder);
  reader.raw.exec('BEGIN');
  reader.sql('SELECT * FROM kv').all();
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await eraseNumber({ ...first, options: { phone: '+442079460958' } } as never as Tools);
  const sentences = said.mock.calls.join('');
  said.mockRestore();
  reader.close();
  expect(sentences).toContain('The files could not be rewritten now: the bot does it within a day.');
  expect(bytesOf(world).includes('Wombat')).toBe(true);
  await afterRetention(world);
  expect(bytesOf(world).includes('Wombat')).toBe(false);
});

test('text that a bot deleted before it died leaves the file in the next round of another bot', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world);
  await sentBoth(world, first);
  world.time.advance(91 * DAY_MS);
  const second = await run(world, {
    prepare: ({ tap }) =>
      tap.intercept('forgetUndecided', () => () => {
        tap.kill();
        return new Promise(() => {});
      }),
  });
  await eventually(async () => expect(await first.ledger.nextKept()).toBeUndefined());
  second.kill();
  expect(bytesOf(world).includes('Wombat')).toBe(true);
  await afterRetention(world);
  expect(bytesOf(world).includes('Wombat')).toBe(false);
});

test('a damaged choice keeps no words of other workspaces; its own are kept as long as the operator allows', async () => {
  const { ledger, clock } = await startRig(openInMemory);
  const { folder } = await createCoreWorld();
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const damaged: RecordError[] = [];
  const records = openRecords(db, createCipher([randomBytes(32)]), (error) => damaged.push(error));
  await records.retention.set('T1', { team: 'T1', days: 5, by: 'U1' });
  db.raw.exec(`UPDATE kv SET value = '{"value":{"team":"T1"}}' WHERE namespace = 'retention'`);
  const retention = createRetention({
    ledger,
    clock: createTime().clock,
    log: pino({ level: 'silent' }),
    repeatGuardMs: 0,
    limits: { days: 10, lookupDays: 400 },
    keepDays: createKeepDays(records, { days: 10 }),
    hashOf: (_team, phone) => phone.padEnd(HASH_CHARACTERS, '0'),
    scrub: { everyMs: DAY_MS, run: async () => true },
  });
  for (const team of ['T1', 'T2']) {
    await ledger.draft({ ...aSingle(team), team });
    await ledger.decide(team, { to: 'running', by: 'U1' });
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, REJECTED);
  }
  const words = async (id: string) => (await ledger.chunks(id))[0]?.messages.length;
  clock.advance(9 * DAY_MS);
  await retention.forget(new AbortController().signal);
  expect([await words('T1'), await words('T2')]).toEqual([1, 1]);
  clock.advance(DAY_MS + 1);
  await retention.forget(new AbortController().signal);
  expect([await words('T1'), await words('T2')]).toEqual([0, 0]);
  const named = { message: expect.stringContaining('retention/T1 is damaged') };
  expect(damaged).toMatchObject([named, named]);
});

test('the repeat guard knows a text’s outcome for as long as it asks, even if the words are kept for less', async () => {
  const { ledger, clock } = await startRig(openInMemory);
  const repeatGuardMs = 4 * DAY_MS;
  const retention = createRetention({
    ledger,
    clock: createTime().clock,
    log: pino({ level: 'silent' }),
    repeatGuardMs,
    limits: { days: 3, lookupDays: 3 },
    keepDays: createKeepDays({ retention: { get: async () => undefined } as never }, { days: 3 }),
    hashOf: (_team, phone) => phone.padEnd(HASH_CHARACTERS, '0'),
    scrub: { everyMs: DAY_MS, run: async () => true },
  });
  const decide = async (id: string, hash: string) => {
    await ledger.draft(aSingle(id));
    const words = { hash, repeatGuardMs: repeatGuardMs };
    return (await ledger.decide(id, { to: 'running', by: 'U1', words, startsInMs: 1 })).won;
  };
  for (const [id, settlement] of [
    ['sent', SENT],
    ['rejected', REJECTED],
  ] as const) {
    await decide(id, id);
    clock.advance(1);
    const { ref, token } = await taken(ledger);
    await ledger.settle(ref, token, settlement);
  }
  await decide('undone', 'undone');
  await ledger.undo('undone', { by: 'U1', details: {}, keeps: {} });
  clock.advance(3 * DAY_MS + 1);
  await retention.forget(new AbortController().signal);
  const asked = [];
  for (const hash of ['sent', 'rejected', 'undone']) asked.push(!(await decide(`${hash} again`, hash)));
  expect(asked).toEqual([true, false, false]);
  expect(await ledger.find('undone')).toBeUndefined();
  expect(await ledger.chunks('rejected')).toMatchObject([{ state: 'rejected', messages: [] }]);
});
