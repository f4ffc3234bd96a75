import { expect, test } from 'vitest';
import { phoneAt, startedJob } from '../../helpers/core-jobs.ts';
import { ANA } from '../../helpers/core-people.ts';
import { createCoreWorld, runLinked } from '../../helpers/core-world.ts';

const DAY_MS = 86_400_000;

test('the runway is by each day’s use, whoever used it, less what running jobs still need', async () => {
  const world = await createCoreWorld();
  const { core, ledger, instance, stop } = await runLinked(world);
  const { accountId } = instance;
  const read = async (credits: number) =>
    ledger.recordBalance(await ledger.markBalanceRead(accountId), credits);
  const days = 5;
  await read(1000);
  for (let day = 1; day <= days; day += 1) {
    expect(await core.statements.runway(instance)).toEqual(day <= 4 ? undefined : expect.anything());
    world.time.advance(DAY_MS);
    await read(1000 - 10 * day);
  }
  const today = Math.floor(ledger.now() / DAY_MS);
  const runway = (length: number) => ({ days: length, earliest: today + length, latest: today + length });
  expect(await core.statements.runway(instance, 200)).toEqual(runway(20));
  world.service.addFault({ kind: 'delay', endpoint: 'texts', ms: 5000, when: 'before', times: 'always' });
  const job = await startedJob(core, { person: ANA, count: 60 });
  expect(await core.statements.runway(instance, 200)).toEqual(runway(14));
  await core.jobs.stop(job.id, ANA);
  // Opted-out recipients of a list must not lower its use of credits.
  const phones = Array.from({ length: 60 }, (_, place) => phoneAt(place));
  await core.optOuts.change('T1', phones, { to: 'out', by: ANA.id, via: 'command' });
  const shorter = await startedJob(core, { person: ANA, count: 120 });
  expect(shorter.counts).toMatchObject({ total: 60, optedOut: 60 });
  expect(await core.statements.runway(instance, 200)).toEqual(runway(14));
  await core.jobs.stop(shorter.id, ANA);
  await stop();
});
