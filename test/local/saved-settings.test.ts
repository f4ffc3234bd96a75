import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { encryptionKey, readPorts, savePorts } from '../../local/saved-settings.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'saved-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a key file that a kill left empty gets a key, which stays', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'key'), '');
  const key = encryptionKey(folder);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(encryptionKey(folder)).toBe(key);
});

it('the ports stay, and no outgoing connection can take one while the playground starts again', async () => {
  const folder = newFolder();
  const first = await readPorts(folder);
  for (const port of Object.values(first)) expect(port).toBeLessThan(32_768);
  savePorts(folder, first);
  expect(await readPorts(folder)).toEqual(first);

  const other = createServer().listen(first.service, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { service, ...rest } = await readPorts(folder);
  expect({ service: first.service, ...rest }).toEqual(first);
  expect(service).not.toBe(first.service);
});
