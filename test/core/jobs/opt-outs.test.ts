import { describe, expect, test } from 'vitest';
import { aJob, draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ADMIN, ANA, BEN } from '../../helpers/core-people.ts';
import { createCoreWorld, type Run, runLinked } from '../../helpers/core-world.ts';

const BULK = { bulk: { chunkSize: 10, minRecipients: 2 } };
const STOP = { to: 'out', by: BEN.id, via: 'command' } as const;
const RULES = { timeZone: 'UTC', whoMayOptOut: 'everyone' } as const;

const optOut = ({ core }: Pick<Run, 'core'>, ...places: number[]) =>
  core.optOuts.change('T1', places.map(phoneAt), STOP);

const csv = (count: number) =>
  new Uint8Array(
    Buffer.from(
      ['phone,name', ...Array.from({ length: count }, (_, at) => `+${phoneAt(at)},Name ${at}`)].join('\n'),
    ),
  );

describe('a list', () => {
  test.each([
    ['pasted', {}],
    [
      'from a file',
      { source: { kind: 'file' as const, name: 'list.csv', bytes: csv(30) }, template: 'Hello {name}' },
    ],
  ])('%s leaves out who has opted out: figures, samples and estimate are of the rest', async (_, over) => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    await optOut(running, 0, 11, 12, 29);
    const view = await draftedJob(running.core, { count: 30, ...over });
    const { list, estimate, optedOut } = view.details;
    expect(optedOut).toEqual({ messages: 4, credits: 4 });
    expect(estimate.credits).toBe(26);
    expect(list).toMatchObject({ rows: 30, toSend: 26, bySegments: { 1: 26 } });
    expect(list.countries.reduce((sum, { messages }) => sum + messages, 0)).toBe(26);
    expect(list.samples.first.e164).toBe(`+${phoneAt(1)}`);
    expect((await running.core.jobs.confirm(view.id, ANA, {})).kind).toBe('running');
    const { counts } = await jobIn(running.core, view.id, 'finished');
    expect(counts).toMatchObject({ total: 26, sent: 26, optedOut: 4, left: 0 });
    expect(world.service.messages.map(({ phone }) => phone).sort()).toEqual(
      Array.from({ length: 30 }, (_, at) => at)
        .filter((at) => ![0, 11, 12, 29].includes(at))
        .map(phoneAt),
    );
    const results = await running.core.jobs.results(view.id);
    expect(results).toHaveLength(30);
    expect(results?.filter(({ barredFor }) => barredFor).map(({ e164 }) => e164)).toEqual(
      [0, 11, 12, 29].map((at) => `+${phoneAt(at)}`),
    );
  });

  test('is not sent to a person who was left out, even if they opted in after the preview', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    await optOut(running, 3);
    const { id } = await draftedJob(running.core, { count: 5 });
    await running.core.optOuts.change('T1', [phoneAt(3)], { ...STOP, to: 'in' });
    await running.core.jobs.confirm(id, ANA, {});
    expect((await jobIn(running.core, id, 'finished')).counts).toMatchObject({ sent: 4, optedOut: 1 });
  });

  test('of nobody else is no draft', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    await optOut(running, 0, 1);
    expect(await running.core.jobs.draft(aJob({ count: 2 }))).toEqual({ kind: 'all_opted_out', messages: 2 });
  });

  test('of another workspace does not care', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    await running.core.optOuts.change('T2', [phoneAt(0)], STOP);
    expect((await draftedJob(running.core, { count: 5 })).details).not.toHaveProperty('optedOut');
  });

  test('that is resent leaves them out, too', async () => {
    const world = await createCoreWorld();
    world.service.addFault({ kind: 'truncate', endpoint: 'bulk', times: 1 });
    const first = await runLinked(world, BULK);
    const { id } = await startedJob(first.core, { count: 10 });
    expect((await jobIn(first.core, id, 'finished')).counts.unknown).toBe(10);
    await optOut(first, 2, 4);
    world.time.advance(world.limits.leaseMs);
    const drafted = await first.core.jobs.draftResend(id, ANA, {});
    expect(drafted).toMatchObject({
      kind: 'draft',
      preview: { view: { details: { list: { toSend: 8 }, optedOut: { messages: 2, credits: 2 } } } },
    });
    await optOut(first, ...Array.from({ length: 10 }, (_, at) => at));
    expect(await first.core.jobs.draftResend(id, ANA, {})).toEqual({ kind: 'all_opted_out', messages: 10 });
  });
});

describe('{optout} in the words of a list', () => {
  test('becomes the workspace’s text, and counts', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    const rules = { ...RULES, optOutText: 'Reply STOP to end. '.repeat(9) };
    await running.records.workspaceRules.set('T1', { ...rules, team: 'T1', by: ADMIN.id });
    const { details } = await draftedJob(running.core, { count: 3, template: 'Hi {2}! { OptOut }' });
    expect(details.list.samples.first.text).toMatch(/^Hi Name 0! Reply STOP to end\. Reply/);
    expect(details.list.bySegments).toEqual({ 2: 3 });
  });

  test('without a text is refused at the message', async () => {
    const world = await createCoreWorld();
    const running = await runLinked(world, BULK);
    expect(await running.core.jobs.draft(aJob({ template: 'Hi {optout}' }))).toEqual({
      kind: 'problem',
      field: 'message',
      code: 'no_opt_out_text',
    });
  });
});

test('a list that leaves somebody out can be undone like every other', async () => {
  const world = await createCoreWorld();
  const running = await runLinked(world, { ...BULK, listUndoMs: 60_000 });
  await optOut(running, 0);
  const { id } = await startedJob(running.core, { count: 5 });
  expect(await running.core.jobs.undo(id, ANA)).toMatchObject({ kind: 'undone' });
  expect(await running.ledger.chunks(id)).toEqual([]);
  expect(world.service.messages).toEqual([]);
});
