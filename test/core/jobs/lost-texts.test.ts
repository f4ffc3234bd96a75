import { expect, onTestFinished, test } from 'vitest';
import { chunkIdOf, texts } from '../../../src/ledger/model/chunk-documents.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { draftedJob, jobIn, phoneAt } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { createCoreWorld, run, runLinked } from '../../helpers/core-world.ts';

const OPTIONS = { bulk: { chunkSize: 2, minRecipients: 2 }, repeatGuardMs: 86_400_000 };

test('a job that lost some of its messages in the store sends the rest, and counts the lost ones as not sent', async () => {
  const world = await createCoreWorld();
  const first = await runLinked(world, OPTIONS);
  const draft = await draftedJob(first.core, { count: 6 });
  await first.stop();
  const db = openDatabase(world.folder);
  onTestFinished(() => db.close());
  await createSteps(createSqliteEngine(db)).run((view) =>
    view.delete(texts, chunkIdOf({ send: draft.id, index: 1 })),
  );

  const { core } = await run(world, OPTIONS);
  expect(await core.jobs.confirm(draft.id, ANA, { url: 'second' })).toMatchObject({ kind: 'running' });
  const { counts } = await jobIn(core, draft.id, 'finished');
  expect(counts).toMatchObject({ total: 6, sent: 4, notSent: 2, repeated: 0, unknown: 0 });
  expect(world.service.messages.map(({ phone }) => phone).sort()).toEqual([0, 1, 4, 5].map(phoneAt));
  // Nobody knows the lost recipients any more.
  const told = await core.jobs.results(draft.id);
  expect(told?.map(({ e164, state }) => [e164, state])).toEqual(
    [0, 1, 4, 5].map((place) => [`+${phoneAt(place)}`, 'sent']),
  );
});
