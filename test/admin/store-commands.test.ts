import { expect, onTestFinished, test, vi } from 'vitest';
import { resetStore } from '../../src/admin/store-commands.ts';
import type { RealConfig } from '../../src/config/read-config.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { startRedis, withoutRedis } from '../helpers/redis-server.ts';

test.skipIf(withoutRedis)('reset-store says before and after that the opt-outs are lost', async () => {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const config = { redis: { url: server.url }, dataDir: tempFolder() } as RealConfig;
  const reset = (yes: boolean) => resetStore({ config, options: { yes } });
  await expect(reset(false)).rejects.toThrow(/Redis that REDIS_URL names.*all opt-outs.*add --yes/);
  await reset(true);
  expect(said.mock.calls.join('')).toContain('Import opt-outs again with /sms optouts before anybody sends.');
});
