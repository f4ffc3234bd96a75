import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { exportWorkspace } from '../../src/admin/export-workspace.ts';
import { AdminError } from '../../src/admin/terminal.ts';
import type { Tools } from '../../src/admin/tools.ts';
import { forgetWorkspace } from '../../src/core/workspaces/forget-workspace.ts';
import { createCipher } from '../../src/records/encryption.ts';
import { confirmed, ended } from '../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../helpers/core-world.ts';

/** The lines that the command writes from now on. */
function linesSaid(): () => { kind: string; value: { e164?: string } }[] {
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  return () => said.mock.calls.map(([line]) => JSON.parse(String(line)));
}

test('export writes the data of a workspace that removed the bot, and refuses an unknown id', async () => {
  const { core, ...running } = await runLinked(await createCoreWorld());
  await ended(core, (await confirmed(core)).id);
  const { ledger, records } = running;
  expect(await forgetWorkspace({ ledger, records }, 'T1', async () => true)).toBe(true);
  const lines = linesSaid();
  const team = () => Promise.reject(new AdminError('No workspace has this id.'));
  const exportOf = (id: string) =>
    exportWorkspace({ ...running, options: { team: id }, team } as never as Tools);
  await exportOf('T1');
  expect(new Set(lines().map(({ kind }) => kind))).toEqual(
    new Set(['sends', 'chunks', 'spending', 'budgets', 'outbox']),
  );
  const written = lines().length;
  // The second word names a topic of all workspaces.
  for (const id of ['T2', 'receipt']) await expect(exportOf(id)).rejects.toThrow('No workspace has this id.');
  expect(lines()).toHaveLength(written);
});

test('export writes the rest if one opt-out does not open, and says which', async () => {
  const running = await runLinked(await createCoreWorld());
  const { core, ledger } = running;
  const out = { to: 'out', by: 'U1', via: 'command', reason: 'Wombat' } as const;
  await core.optOuts.change('T1', ['447700900123', '447700900456'], out);
  const [broken] = await ledger.listOptOuts('T1', { limit: 1 });
  if (!broken) throw new Error('there is none');
  const { cipher } = running;
  const strange = createCipher([randomBytes(32)]);
  const said = linesSaid();
  const open: typeof cipher.open = (envelope, boundTo) =>
    boundTo.endsWith(broken.hash) ? strange.open(envelope, boundTo) : cipher.open(envelope, boundTo);
  const tools = { ...running, options: {}, cipher: { ...cipher, open }, team: async () => 'T1' };
  const failure = await exportWorkspace(tools as never as Tools).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'AdminError', message: expect.stringContaining(broken.hash) });
  const lines = said();
  const optOuts = lines.filter(({ kind }) => kind === 'opt-outs');
  expect(optOuts).toHaveLength(2);
  expect(optOuts.filter(({ value }) => value.e164 !== undefined)).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toMatch(/sealed|v1\./);
});
