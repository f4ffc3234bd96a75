import { describe, expect, onTestFinished, test } from 'vitest';
import { holdBackAll } from '../../src/core/after-restore.ts';
import { DAY_MS } from '../../src/ledger/model/days.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { draftedJob, jobIn, startedJob } from '../helpers/core-jobs.ts';
import { ANA } from '../helpers/core-people.ts';
import { confirmed, drafted, eventually } from '../helpers/core-sends.ts';
import { createCoreWorld, runLinked, SHORT_LIMITS } from '../helpers/core-world.ts';
import { openRecords } from '../helpers/open-records.ts';
import { ENGINES } from '../helpers/two-bots.ts';

describe.each(ENGINES)('after a copy was put back, on $engine', ({ open }) => {
  test('jobs are paused, waiting texts cancelled, drafts expired; all of them once, and counted', async () => {
    const { one } = await open();
    const world = await createCoreWorld();
    // The bot sends nothing: it gets no permit.
    const { core } = await runLinked(world, {
      bulk: { minRecipients: 2 },
      open: async () => one,
      prepare: ({ tap }) => tap.intercept('take', () => async () => ({ kind: 'idle' })),
    });
    const running = await startedJob(core, { count: 4 });
    const paused = await startedJob(core, { count: 4 });
    await core.jobs.pause(paused.id, ANA);
    const text = await confirmed(core);
    const listDraft = await draftedJob(core, { count: 4 });
    const textDraft = await drafted(core);
    expect(await holdBackAll(one)).toEqual({ jobs: 1, paused: 1, texts: 1, drafts: 2 });
    expect(await core.jobs.view(running.id)).toMatchObject({ state: 'paused', pause: { why: 'restored' } });
    expect(await core.jobs.view(paused.id)).toMatchObject({
      pause: { why: 'person' },
      details: { restored: true },
    });
    // It may have been sent, so nobody may read that nothing was.
    expect(await core.jobs.undo(running.id, ANA)).toMatchObject({ kind: 'too_late' });
    expect(await core.sends.view(text.id)).toMatchObject({ state: 'stopped', outcome: 'cancelled' });
    expect((await core.jobs.view(listDraft.id))?.state).toBe('expired');
    expect((await core.sends.view(textDraft.id))?.state).toBe('expired');
    expect(await holdBackAll(one)).toEqual({ jobs: 0, paused: 2, texts: 0, drafts: 0 });
    expect(one.service.messages).toEqual([]);
  });
});

test('a draft or a request whose time is over may have been sent, too', async () => {
  const world = await createCoreWorld();
  const { core, ledger, records, stop } = await runLinked(world);
  const draft = await drafted(core);
  const request = await drafted(core);
  await core.approvals.ask(request.id, ANA, null);
  await stop();
  world.time.advance(2 * DAY_MS);
  expect(await holdBackAll({ ledger, records })).toMatchObject({ drafts: 2 });
  for (const { id } of [draft, request])
    expect(await core.sends.view(id)).toMatchObject({ state: 'expired', mayBeSent: true });
});

test('a damaged link or instance is held back, too', async () => {
  const world = await createCoreWorld();
  const { core, ledger, cipher } = await runLinked(world, {
    bulk: { minRecipients: 2 },
    prepare: ({ tap }) => tap.intercept('take', () => async () => ({ kind: 'idle' })),
  });
  const { id } = await startedJob(core, { count: 4 });
  const draft = await drafted(core);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  db.raw.exec(`UPDATE kv SET value = '{"val' WHERE namespace IN ('links', 'instances')`);
  const records = openRecords(db, cipher);
  expect(await holdBackAll({ ledger, records })).toMatchObject({ jobs: 1, drafts: 1 });
  expect((await core.jobs.view(id))?.state).toBe('paused');
  expect((await core.sends.view(draft.id))?.state).toBe('expired');
});

test('a job that was paused before says it until somebody resumes it', async () => {
  const world = await createCoreWorld();
  const { core, ledger, records } = await runLinked(world, { bulk: { minRecipients: 2 } });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 200, when: 'before' });
  const { id } = await startedJob(core, { count: 200 });
  await core.jobs.pause(id, ANA);
  await holdBackAll({ ledger, records });
  expect((await core.jobs.view(id))?.details.restored).toBe(true);
  // A card that Slack has not changed yet does not say it.
  expect(await core.jobs.resume(id, ANA)).toMatchObject({ kind: 'books' });
  expect(await core.jobs.resume(id, ANA, { seenRestored: 'true' })).toMatchObject({ kind: 'done' });
  expect((await core.jobs.view(id))?.details.restored).toBeUndefined();
});

test('who stops a resend that a copy brought back can’t resend these texts once more: they may have gone again', async () => {
  const world = await createCoreWorld({ limits: SHORT_LIMITS });
  const { core, ledger, records, tap } = await runLinked(world, { bulk: { minRecipients: 2 } });
  world.service.addFault({ kind: 'server_error', endpoint: 'bulk' });
  const { id } = await startedJob(core, { count: 4 });
  await jobIn(core, id, 'finished');
  const again = await eventually(async () => {
    const drafted = await core.jobs.draftResend(id, ANA, { url: 'again' });
    return drafted.kind === 'draft' ? drafted.preview.view : expect.fail(drafted.kind);
  });
  tap.intercept('take', () => async () => ({ kind: 'idle' }));
  await core.jobs.confirm(again.id, ANA, { url: 'again' });
  await holdBackAll({ ledger, records });
  expect(await core.jobs.stop(again.id, ANA)).toMatchObject({ kind: 'done' });
  expect(await core.jobs.draftResend(id, ANA, { url: 'once more' })).toEqual({ kind: 'resent_already' });
});
