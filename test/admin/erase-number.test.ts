import { expect, onTestFinished, test, vi } from 'vitest';
import { eraseNumber } from '../../src/admin/erase-number.ts';
import type { Tools } from '../../src/admin/tools.ts';
import { draftedJob, jobIn } from '../helpers/core-jobs.ts';
import { ANA } from '../helpers/core-people.ts';
import { createCoreWorld, runLinked } from '../helpers/core-world.ts';

/** A bot, and what `erase` says of a number in its store. */
async function start() {
  const running = await runLinked(await createCoreWorld());
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const erased = async (phone: string) => {
    said.mockClear();
    await eraseNumber({ ...running, options: { phone } } as never as Tools);
    return said.mock.calls.join('');
  };
  return { running, erased };
}

test('erase says that a list which nobody sent still has the number for half an hour', async () => {
  const { running, erased } = await start();
  const { id } = await draftedJob(running.core, {});
  expect(await erased('+447700900000')).toContain('Not erased: 1.');
  await running.ledger.expireDrafts('T1', 'C-sales');
  expect(JSON.stringify((await running.ledger.find(id))?.details)).toContain('7700900000');
  expect(await erased('+447700900000')).toContain('Not erased: 1.');
  expect(await erased('+447700911111')).not.toContain('Not erased');
  running.time.advance(1_800_001);
  await running.ledger.recover();
  expect(await erased('+447700900000')).not.toContain('Not erased');
});

test('erase says how long a request for approval keeps the number', async () => {
  const { running, erased } = await start();
  const { id } = await draftedJob(running.core, {});
  expect(await running.core.approvals.ask(id, ANA, null)).toMatchObject({ kind: 'asked' });
  expect(await erased('+447700900000')).toMatch(/Not erased: 1\..*requests within 25 hours/);
  running.time.advance(24 * 3_600_000 + 1);
  await running.ledger.recover();
  running.time.advance(1_800_000);
  await running.ledger.recover();
  expect(await erased('+447700900000')).not.toContain('Not erased');
});

test('a number in a row that a list skips is in its draft, and nowhere once the list is sent', async () => {
  const { running, erased } = await start();
  const { core, ledger } = running;
  const text = '+447700900001, Ann\n+447700900002 ext 3, Bob';
  const { id } = await draftedJob(core, { source: { kind: 'pasted', text } });
  for (const phone of ['+447700900001', '+447700900002'])
    expect(await erased(phone)).toContain('Not erased: 1.');
  await core.jobs.confirm(id, ANA, null);
  await jobIn(core, id, 'finished');
  expect(JSON.stringify(await ledger.find(id))).not.toContain('7700900002');
  expect(await erased('+447700900002')).not.toContain('Not erased');
});
