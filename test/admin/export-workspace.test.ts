import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { exportWorkspace } from '../../src/admin/export-workspace.ts';
import type { Tools } from '../../src/admin/tools.ts';
import { createCipher } from '../../src/records/encryption.ts';
import { createCoreWorld, runLinked } from '../helpers/core-world.ts';

test('export writes the rest where one opt-out does not open, and says which', async () => {
  const running = await runLinked(await createCoreWorld());
  const { core, ledger } = running;
  const out = { to: 'out', by: 'U1', via: 'command', reason: 'Wombat' } as const;
  await core.optOuts.change('T1', ['447700900123', '447700900456'], out);
  const [broken] = await ledger.listOptOuts('T1', { limit: 1 });
  if (!broken) throw new Error('there is none');
  const { cipher } = running;
  const strange = createCipher([randomBytes(32)]);
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const open: typeof cipher.open = (envelope, boundTo) =>
    boundTo.endsWith(broken.hash) ? strange.open(envelope, boundTo) : cipher.open(envelope, boundTo);
  const tools = { ...running, cipher: { ...cipher, open }, team: async () => 'T1' };
  const failure = await exportWorkspace(tools as never as Tools).catch((error: Error) => error);
  expect(failure).toMatchObject({ name: 'AdminError', message: expect.stringContaining(broken.hash) });
  const lines = said.mock.calls.map(([line]) => JSON.parse(String(line)));
  const optOuts = lines.filter(({ kind }) => kind === 'opt-outs');
  expect(optOuts).toHaveLength(2);
  expect(optOuts.filter(({ value }) => value.e164 !== undefined)).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toMatch(/sealed|v1\./);
});
