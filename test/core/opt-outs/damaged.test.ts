import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OptOutRecord, optOutAddress, optOuts } from '../../../src/ledger/opt-outs/opt-out-documents.ts';
import { createCipher } from '../../../src/records/encryption.ts';
import { createSqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { createSteps } from '../../../src/store/steps.ts';
import { draftedJob, jobIn, phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA, aNumber, aRequest } from '../../helpers/core-people.ts';
import { type CoreWorld, createCoreWorld, runLinked } from '../../helpers/core-world.ts';
import { damageDocument } from '../../helpers/damage-document.ts';

const OUT = { to: 'out', by: 'U1', via: 'command', reason: 'Asked by phone' } as const;
const WHOLE = '447700900123';
const BROKEN = aNumber().digits;

/** Changes the stored record of the newest opt-out, behind the bot's back. */
async function damageNewest({ folder }: CoreWorld, damage: (of: OptOutRecord) => OptOutRecord) {
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const steps = createSteps(createSqliteEngine(db));
  for await (const page of steps.documents(optOuts)) {
    const newest = page
      .toSorted((a, b) => (a.value.changes[0]?.at ?? 0) - (b.value.changes[0]?.at ?? 0))
      .at(-1);
    if (!newest) continue;
    await steps.run((view) => {
      const found = view.get(optOuts, newest.id);
      if (found) view.put(optOuts, newest.id, damage(found));
    });
  }
}

const otherKey = createCipher([randomBytes(32)]);
const addressOf = ({ team, hash }: OptOutRecord) => optOutAddress(`${team}/${hash}`);

describe.each<[string, (of: OptOutRecord) => OptOutRecord]>([
  ['cut in half', (of) => ({ ...of, sealed: of.sealed?.slice(0, 20) ?? '' })],
  ['empty', (of) => ({ ...of, sealed: '' })],
  ['of another record', (of) => ({ ...of, sealed: otherKey.seal(BROKEN, addressOf(of)) })],
  [
    'whole, with a reason that is damaged',
    (of) => ({ ...of, changes: of.changes.map((change) => ({ ...change, sealedReason: 'v1.x' })) }),
  ],
])('an opt-out whose number is %s', (_how, damage) => {
  test('holds, and the others are still listed', async () => {
    const running = await runLinked(await createCoreWorld());
    const { core } = running;
    await core.optOuts.change('T1', [WHOLE], OUT);
    running.time.advance(1000);
    await core.optOuts.change('T1', [BROKEN], OUT);
    await damageNewest(running, damage);

    const newest = await core.optOuts.newest('T1', 5);
    expect(newest).toMatchObject([{ isDamaged: true, isOut: true }, { e164: `+${WHOLE}` }]);
    expect(newest[0]?.events).toMatchObject([{ by: 'U1', via: 'command' }]);
    const pages = await Array.fromAsync(core.optOuts.all('T1'));
    expect(pages.flat()).toEqual(newest);
    expect(running.logged()).toContain('an opt-out does not open');

    expect(await core.optOuts.whichAreOut('T1', [BROKEN, WHOLE])).toEqual([BROKEN, WHOLE]);
    const drafted = await core.sends.draft(aRequest());
    expect(drafted).toMatchObject({ kind: 'opted_out', optOut: { isOut: true } });
    expect(running.sendRequests()).toEqual([]);
    // A person can still take the opt-out back.
    expect(await core.optOuts.change('T1', [BROKEN], { ...OUT, to: 'in' })).toBe(1);
    expect((await core.optOuts.find('T1', BROKEN))?.isOut).toBe(false);
  });
});

/** Cuts the only opt-out's document in half. */
async function cutOnly({ folder }: CoreWorld): Promise<void> {
  const db = openDatabase(folder);
  onTestFinished(() => db.close());
  const [{ id }] = db.raw.prepare('SELECT id FROM "d_opt-outs"').all() as [{ id: string }];
  await damageDocument(createSqliteEngine(db), { collection: optOuts.name, id });
}

test('a list that meets an opt-out whose document is no JSON leaves it out, and ends', async () => {
  const running = await runLinked(await createCoreWorld(), { bulk: { chunkSize: 4, minRecipients: 2 } });
  const { core } = running;
  await core.optOuts.change('T1', [phoneAt(1)], OUT);
  await cutOnly(running);

  expect(await core.optOuts.newest('T1', 5)).toMatchObject([{ isDamaged: true, isOut: true, events: [] }]);
  const job = await startedJob(core, { count: 5 });
  expect(job.details.optedOut).toMatchObject({ messages: 1 });
  expect((await jobIn(core, job.id, 'finished')).counts).toMatchObject({ sent: 4, optedOut: 1, left: 0 });
  expect(await core.optOuts.change('T1', [phoneAt(1)], { ...OUT, to: 'in' })).toBe(1);
  expect(await core.optOuts.newest('T1', 5)).toEqual([]);
});

test('a list that is under way leaves out an opt-out that is no JSON, and ends', async () => {
  const running = await runLinked(await createCoreWorld(), { bulk: { chunkSize: 4, minRecipients: 2 } });
  const { core } = running;
  const draft = await draftedJob(core, { count: 5 });
  await core.optOuts.change('T1', [phoneAt(1)], OUT);
  await cutOnly(running);
  await core.jobs.confirm(draft.id, ANA, { url: 'second' });
  expect((await jobIn(core, draft.id, 'finished')).counts).toMatchObject({ sent: 4, optedOut: 1, left: 0 });
});

test('an opt-out that has lost its changes holds, and a person can take it back', async () => {
  const running = await runLinked(await createCoreWorld());
  const { core } = running;
  await core.optOuts.change('T1', [BROKEN], OUT);
  await damageNewest(running, ({ changes: _lost, ...rest }) => rest as OptOutRecord);

  expect(await core.optOuts.whichAreOut('T1', [BROKEN, WHOLE])).toEqual([BROKEN]);
  expect(await core.optOuts.newest('T1', 5)).toMatchObject([{ e164: `+${BROKEN}`, isOut: true, events: [] }]);
  expect(await core.sends.draft(aRequest())).toMatchObject({ kind: 'opted_out' });
  expect(await core.optOuts.change('T1', [BROKEN], { ...OUT, to: 'in' })).toBe(1);
  expect(await core.optOuts.whichAreOut('T1', [BROKEN])).toEqual([]);
});
