import { expect, onTestFinished, test } from 'vitest';
import { TOPICS } from '../../../src/core/topics.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { jobIn, startedJob } from '../../helpers/core-jobs.ts';
import { confirmed, ended, endsTold, eventually } from '../../helpers/core-sends.ts';
import { createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';

/** The store damages a document of the text's while its request is under way: just before the answer is written. */
async function damagedMeanwhile(collection: 'sends' | 'chunks') {
  const world = await createCoreWorld();
  const running = await runLinked(world);
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  running.tap.intercept('settle', (settle) => async (...args) => {
    const [{ send, index }] = args;
    const id = collection === 'sends' ? send : `${send}/${index}`;
    await damageDocument(createSqliteEngine(db, world.time.now), { collection, id });
    return settle(...args);
  });
  return { ...running, world };
}

test('a text whose chunk is damaged during its request has the outcome of its answer', async () => {
  const { core, posted, world } = await damagedMeanwhile('chunks');
  const { id } = await confirmed(core);
  expect(await ended(core, id)).toMatchObject({ outcome: 'sent', result: { creditsUsed: 1 } });
  await eventually(() => expect(endsTold(posted, id)).toEqual(['sent']));
  expect(world.sendRequests()).toHaveLength(1);
});

test('a text whose send is damaged during its request: its sender reads what the service answered', async () => {
  const { core, posted, world } = await damagedMeanwhile('sends');
  const { id } = await confirmed(core);
  const told = () => posted.filter(({ topic }) => topic === TOPICS.lostRecord);
  await eventually(() => expect(told()).toHaveLength(1));
  expect(told()).toMatchObject([
    { subject: id, details: { team: 'T1', channel: 'C-sales', by: 'U-ana', became: 'sent' } },
  ]);
  const settled = world
    .logged()
    .split('\n')
    .filter((line) => line.includes(id));
  expect(settled.join()).toContain('"outcome":"accepted","becomes":"sent"');
  expect(world.sendRequests()).toHaveLength(1);
});

test('a text whose chunk is damaged after its end is unknown: it does not seem to be under way', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world);
  const { id } = await confirmed(first.core);
  await ended(first.core, id);
  await first.stop();
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  await damageDocument(createSqliteEngine(db, world.time.now), { collection: 'chunks', id: `${id}/0` });
  const { core } = await run(world);
  expect(await core.sends.view(id)).toMatchObject({ outcome: 'unknown', evidence: { verdict: 'none' } });
});

test('an unknown part of a list that is damaged: nobody waits for clues about it', async () => {
  const world = await createCoreWorld();
  world.service.addFault({ kind: 'reset', endpoint: 'bulk', when: 'after' });
  const first = await runLinked(world, { bulk: { minRecipients: 2 } });
  const { id } = await startedJob(first.core, { count: 4 });
  await jobIn(first.core, id, 'finished');
  await first.stop();
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  await damageDocument(createSqliteEngine(db, world.time.now), { collection: 'chunks', id: `${id}/0` });
  const { core } = await run(world);
  const view = await core.jobs.view(id);
  expect(view).toMatchObject({ counts: { unknown: 4 }, evidence: { verdict: 'none' } });
  expect(view?.decidable).toBeUndefined();
});
