import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { encryptionKey } from '../../local/saved-settings.ts';

it('a key file that a kill left empty gets a key, which stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'saved-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'key'), '');
  const key = encryptionKey(folder);
  expect(Buffer.from(key, 'base64')).toHaveLength(32);
  expect(encryptionKey(folder)).toBe(key);
});
