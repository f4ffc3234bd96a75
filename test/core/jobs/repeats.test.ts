import { expect, test } from 'vitest';
import { NO_LIMITS } from '../../../src/core/accounts/channel-limits.ts';
import { aJob, aList, draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA, aNumber, BEN } from '../../helpers/core-people.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import {
  type CoreWorld,
  createCoreWorld,
  type Run,
  run,
  runLinked,
  saveLimits,
} from '../../helpers/core-world.ts';

const DAY_MS = 86_400_000;
const SMALL = { bulk: { chunkSize: 4, minRecipients: 2 }, repeatGuardMs: DAY_MS };

async function start() {
  const world = await createCoreWorld();
  return { world, ...(await runLinked(world, SMALL)) };
}

/** How often each number was texted. */
function arrivals({ service }: CoreWorld): number[] {
  const found = new Map<string, number>();
  for (const { phone } of service.messages) found.set(phone, (found.get(phone) ?? 0) + 1);
  return Array.from({ length: 10 }, (_, place) => found.get(phoneAt(place)) ?? 0);
}

/** Sends the list's words to its recipients at these places, one by one. */
async function sentAlready(core: Run['core'], places: number[]): Promise<void> {
  for (const place of places) {
    const { id } = await confirmed(core, {
      number: aNumber(`+${phoneAt(place)}`),
      text: `Hello Name ${place}`,
    });
    await ended(core, id);
  }
}

test('recipients who already got a list’s words are left out by default; its figures are of the others', async () => {
  const { core, world } = await start();
  await sentAlready(core, [0, 5]);
  const draft = await draftedJob(core);
  expect(draft).toMatchObject({
    counts: { total: 8 },
    details: {
      estimate: { credits: 8 },
      list: { rows: 10, toSend: 8, bySegments: { 1: 8 }, countries: [{ messages: 8 }], unlikely: 8 },
      repeats: { messages: 2, included: false },
    },
  });
  expect(draft.details.list.samples.first.text).toBe('Hello Name 1');
  expect(await core.jobs.confirm(draft.id, ANA, {})).toMatchObject({ kind: 'running' });
  const job = await jobIn(core, draft.id, 'finished');
  expect(job).toMatchObject({ counts: { total: 8, sent: 8 }, creditsUsed: 8 });
  expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 1));
});

test('Include them takes them in: estimate, figures and requests are of the whole list', async () => {
  const { core, world } = await start();
  await sentAlready(core, [0, 5]);
  const { id } = await draftedJob(core);
  const preview = await core.jobs.preview(id, true);
  expect(preview?.view.details).toMatchObject({
    estimate: { credits: 10 },
    list: { toSend: 10, bySegments: { 1: 10 } },
    repeats: { messages: 2, included: true },
  });
  expect(await core.jobs.confirm(id, ANA, {}, { include: true })).toMatchObject({ kind: 'running' });
  const job = await jobIn(core, id, 'finished');
  expect(job).toMatchObject({
    counts: { total: 10, sent: 10, repeated: 0 },
    details: { estimate: { credits: 10 }, list: { toSend: 10 }, repeats: { messages: 2, included: true } },
  });
  expect(job.details.repeats).not.toHaveProperty('whole');
  expect(arrivals(world)).toEqual([2, 1, 1, 1, 1, 2, 1, 1, 1, 1]);
});

test('a list that everybody already got has nothing to send, unless somebody includes it', async () => {
  const { core, world } = await start();
  await jobIn(core, (await startedJob(core)).id, 'finished');
  const again = await draftedJob(core);
  expect(again.details).toMatchObject({
    estimate: { credits: 0 },
    list: { toSend: 0 },
    repeats: { messages: 10 },
  });
  await expect(core.jobs.confirm(again.id, ANA, {})).rejects.toThrow('holds nothing to send');
  expect(world.service.messages).toHaveLength(10);
  expect(await core.jobs.confirm(again.id, ANA, {}, { include: true })).toMatchObject({ kind: 'running' });
  await jobIn(core, again.id, 'finished');
  expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 2));
});

test('a list that has expired names as many recipients as the pressed preview', async () => {
  const { core, world } = await start();
  await sentAlready(core, [0, 5]);
  const { id, expiresAt } = await draftedJob(core);
  world.time.advance(expiresAt - world.time.now());
  for (const [include, total] of [
    [false, 8],
    [true, 10],
  ] as const) {
    expect(await core.jobs.confirm(id, ANA, {}, { include })).toMatchObject({
      kind: 'too_late',
      view: { state: 'expired', counts: { total } },
    });
  }
});

test('texts that others send after the preview are left out at the last moment, and the results say so', async () => {
  const { core, world } = await start();
  const { id } = await draftedJob(core);
  await sentAlready(core, [1, 4, 5, 6, 7]);
  expect(await core.jobs.confirm(id, ANA, {})).toMatchObject({ kind: 'running' });
  const job = await jobIn(core, id, 'finished');
  expect(job).toMatchObject({
    counts: { total: 10, sent: 5, notSent: 0, repeated: 5, left: 0 },
    creditsUsed: 5,
  });
  expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 1));
  const results = await core.jobs.results(id);
  const left = results?.filter(({ barredFor }) => barredFor === 'repeated');
  expect(left?.map(({ e164 }) => e164).sort()).toEqual([1, 4, 5, 6, 7].map((place) => `+${phoneAt(place)}`));
  expect(left).toMatchObject(Array.from({ length: 5 }, () => ({ state: 'not_sent', cause: 'repeated' })));
});

test('two people send the same list at once: each recipient gets one text', async () => {
  const { core, world } = await start();
  const ids = [(await draftedJob(core)).id, (await draftedJob(core, { person: BEN })).id];
  await Promise.all([core.jobs.confirm(ids[0] ?? '', ANA, {}), core.jobs.confirm(ids[1] ?? '', BEN, {})]);
  const jobs = await Promise.all(ids.map((id) => jobIn(core, id, 'finished')));
  expect(jobs.map(({ counts: { sent, repeated } }) => sent + repeated)).toEqual([10, 10]);
  expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 1));
});

test('without its claim no request begins: the chunk goes back and is sent later, once', async () => {
  const { core, world, tap } = await start();
  let refused = 0;
  tap.intercept('claimChunk', (real) => async (...asked) => {
    refused += 1;
    if (refused <= 2) throw new Error('the store is away');
    return real(...asked);
  });
  const { id } = await startedJob(core);
  await eventually(() => expect(refused).toBeGreaterThan(2));
  expect(await jobIn(core, id, 'finished')).toMatchObject({ counts: { sent: 10 } });
  expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 1));
});

test('a single text asks about a list that brought its words', async () => {
  const { core } = await start();
  const { id } = await startedJob(core);
  await jobIn(core, id, 'finished');
  const asked = {
    number: aNumber(`+${phoneAt(3)}`),
    text: 'Hello Name 3',
    person: BEN,
    channel: 'C-sales',
    reply: null,
  };
  expect(await core.sends.draft(asked)).toMatchObject({ same: { send: id, by: ANA.id, state: 'sent' } });
});

test.each([true, false])(
  'a list waits for a text of its words that somebody may still undo (undone: %j), and texts the number once',
  async (isUndone) => {
    const { core, world, logged } = await start();
    const linked = await core.links.find('T1', 'C-sales');
    if (!linked) throw new Error('the fixture has no link');
    await saveLimits(core, linked.link, { ...NO_LIMITS, undoSeconds: 30 });
    const text = await confirmed(core, { number: aNumber(`+${phoneAt(3)}`), text: 'Hello Name 3' });
    const job = await startedJob(core);
    expect(job.counts.total).toBe(10);
    await eventually(() => expect(logged()).toContain('"outcome":"held_back"'));
    await eventually(() => expect(world.service.messages).toHaveLength(6));
    if (isUndone) await core.sends.undo(text.id, ANA);
    else world.time.advance(30_000);
    const { counts } = await jobIn(core, job.id, 'finished');
    expect(counts).toMatchObject(isUndone ? { sent: 10, repeated: 0 } : { sent: 9, repeated: 1 });
    if (!isUndone) await ended(core, text.id);
    expect(arrivals(world)).toEqual(Array.from({ length: 10 }, () => 1));
  },
);

test('with the guard off a list goes out again, and nothing is claimed', async () => {
  const world = await createCoreWorld();
  const { core } = await runLinked(world, { ...SMALL, repeatGuardMs: 0 });
  await jobIn(core, (await startedJob(core)).id, 'finished');
  const again = await core.jobs.draft(aJob({ source: { kind: 'pasted', text: aList(10) } }));
  expect(again).toMatchObject({ preview: { view: { details: { list: { toSend: 10 } } } } });
  expect(JSON.stringify(again)).not.toContain('repeats');
  expect(world.commits.join(' ')).not.toContain('guards');
});

test('a bot that dies between claim and request sends nothing twice: its words are unknown, and asked about', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world, { ...SMALL, bulk: { chunkSize: 10, minRecipients: 2 } });
  const { core, tap } = first;
  const claimed = Promise.withResolvers<void>();
  tap.intercept('claimChunk', (real) => async (...asked) => {
    const places = await real(...asked);
    first.kill();
    claimed.resolve();
    return places;
  });
  const { id } = await startedJob(core);
  await claimed.promise;
  const second = await run(world, SMALL);
  expect(await jobIn(second.core, id, 'finished')).toMatchObject({ counts: { unknown: 10 } });
  expect(world.service.messages).toHaveLength(0);
  const text = { number: aNumber(`+${phoneAt(3)}`), text: 'Hello Name 3', channel: 'C-sales', reply: null };
  expect(await second.core.sends.draft({ ...text, person: BEN })).toMatchObject({
    same: { send: id, state: 'unknown' },
  });
  const again = await draftedJob(second.core);
  expect(again.details).toMatchObject({ list: { toSend: 0 }, repeats: { messages: 10 } });
});

test.each([
  ['without them', false, [0, 1, 1, 1, 1, 1, 1, 1, 1, 0]],
  ['with them', true, [0, 1, 1, 1, 1, 2, 1, 1, 1, 0]],
])('who opted out gets none of a list that goes %s', async (_, include, texted) => {
  const { core, world } = await start();
  await sentAlready(core, [5]);
  await core.optOuts.change('T1', [phoneAt(0), phoneAt(9)], { to: 'out', by: BEN.id, via: 'command' });
  const { id, details } = await draftedJob(core);
  expect(details).toMatchObject({ optedOut: { messages: 2 }, repeats: { messages: 1 }, list: { toSend: 7 } });
  expect(await core.jobs.confirm(id, ANA, {}, { include })).toMatchObject({ kind: 'running' });
  const { counts } = await jobIn(core, id, 'finished');
  const repeated = include ? 0 : 1;
  expect(counts).toMatchObject({ sent: 8 - repeated, optedOut: 2, repeated, left: 0, notSent: 0 });
  expect(arrivals(world)).toEqual(texted);
  // Everybody on the list has an outcome.
  expect(await core.jobs.results(id)).toHaveLength(10);
});
