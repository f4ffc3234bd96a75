import { expect, onTestFinished, test, vi } from 'vitest';
import { eraseNumber } from '../../src/admin/erase-number.ts';
import type { Tools } from '../../src/admin/tools.ts';
import { draftedJob } from '../helpers/core-jobs.ts';
import { createCoreWorld, runLinked } from '../helpers/core-world.ts';

test('erase says that a list which nobody sent still has the number for half an hour', async () => {
  const running = await runLinked(await createCoreWorld());
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const erased = async (phone: string) => {
    said.mockClear();
    await eraseNumber({ ...running, options: { phone } } as never as Tools);
    return said.mock.calls.join('');
  };
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
