import { expect, test } from 'vitest';
import { Waiting } from '../../../src/core/dispatch/wait-news.ts';
import { startedJob } from '../../helpers/core-jobs.ts';
import { confirmed, ended, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, type PostedRow, runLinked } from '../../helpers/core-world.ts';

/** The service turns one request away and asks for a pause of this many seconds. */
const turnsAway = (endpoint: 'send' | 'balance', seconds: number) =>
  ({
    kind: 'answer',
    endpoint,
    when: 'before',
    status: 429,
    headers: { 'Retry-After': String(seconds) },
  }) as const;

/** What people read about a text that waits. */
const waitsTold = (posted: PostedRow[], id: string) =>
  posted.flatMap(({ subject, details }) => {
    const waiting = Waiting.safeParse(details);
    return subject === id && waiting.success ? [waiting.data] : [];
  });

test('after one 429 no request of the key begins until the rest is over; people read why they wait', async () => {
  const world = await createCoreWorld();
  const { core, instance, posted } = await runLinked(world);
  world.service.addFault(turnsAway('send', 60));
  const turnedAway = await confirmed(core);
  const isTold = async ({ id }: { id: string }) =>
    eventually(() => expect(waitsTold(posted, id)).toMatchObject([{ why: 'asked_to_wait' }]));
  await isTold(turnedAway);
  const before = world.service.requests.length;

  const later = await confirmed(core);
  await isTold(later);
  const job = await startedJob(core, { count: 3 });
  expect(await core.credit.read(instance, 'interactive')).toMatchObject({ kind: 'busy' });
  expect(world.service.requests).toHaveLength(before);

  world.time.advance(60_000);
  for (const { id } of [turnedAway, later]) expect((await ended(core, id)).outcome).toBe('sent');
  await eventually(async () => expect((await core.jobs.view(job.id))?.state).toBe('finished'));
  expect(world.sendRequests()).toHaveLength(6);
});

test('a balance read that is turned away makes texts wait as well', async () => {
  const world = await createCoreWorld();
  const { core, instance, posted } = await runLinked(world);
  world.service.addFault(turnsAway('balance', 60));
  expect(await core.credit.read(instance, 'background')).toEqual({ kind: 'busy', seconds: 60 });
  const { id } = await confirmed(core);
  await eventually(() => expect(waitsTold(posted, id)).toMatchObject([{ why: 'asked_to_wait' }]));
  world.time.advance(60_000);
  expect((await ended(core, id)).outcome).toBe('sent');
  expect(world.sendRequests()).toHaveLength(1);
});

test('a text is not sent when the service asks for more than people wait', async () => {
  const world = await createCoreWorld();
  const { core, posted } = await runLinked(world);
  world.service.addFault(turnsAway('send', 600));
  const { id } = await confirmed(core);
  await eventually(() => expect(waitsTold(posted, id)).toHaveLength(1));
  world.time.advance(600_000);
  expect((await ended(core, id)).outcome).toBe('not_sent');
  expect(world.sendRequests()).toHaveLength(1);
});
