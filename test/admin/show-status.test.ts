import { expect, onTestFinished, test, vi } from 'vitest';
import { status } from '../../src/admin/show-status.ts';
import { chosenInstance, type Tools } from '../../src/admin/tools.ts';
import { addInstance, boot, createBooks, createCoreWorld } from '../helpers/core-world.ts';

test('a name that controls a terminal only shows; the name as it is shown chooses the instance', async () => {
  const booted = await boot(await createCoreWorld());
  const { instances } = createBooks(booted);
  await addInstance({ instances }, undefined, '\u001b[2JAcme\n\u202e 2');
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  await status({ ...booted, team: async () => 'T1' } as never as Tools);
  const [line] = said.mock.calls.flat().map(String);
  expect(line).toMatch(/^"\[2JAcme 2" …aaaa · [^\p{Cc}]*\n$/u);
  const all = await instances.list('T1');
  expect(chosenInstance(all, '[2JAcme 2')).toEqual(all[0]);
  expect(() => chosenInstance(all, 'Nobody')).toThrow('There are: "[2JAcme 2".');
});

test('an instance that was just added has had its balance read, though the books have none yet', async () => {
  const booted = await boot(await createCoreWorld());
  await addInstance(createBooks(booted));
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  await status({ ...booted, team: async () => 'T1' } as never as Tools);
  expect(String(said.mock.calls[0])).toContain('no balance in the books yet');
});
