import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openForCommand, openStore } from '../../src/data/embedded.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { LIMITS } from '../helpers/ledger-fixtures.ts';

const IS_ROOT = process.getuid?.() === 0;

/** Lets nobody write to the file, also if root runs the tests. False if this machine can't do that. */
function makeReadOnly(file: string): boolean {
  if (!IS_ROOT) chmodSync(file, 0o444);
  else if (spawnSync('chattr', ['+i', file]).status !== 0) return false;
  onTestFinished(() => void (IS_ROOT && spawnSync('chattr', ['-i', file])));
  return true;
}

test('a database that may only be read: a bot is refused in one sentence, a command may look', async ({
  skip,
}) => {
  const dataDir = tempFolder();
  const options = { dataDir, encryptionKeys: [Buffer.alloc(32)], limits: LIMITS, onDamaged: () => {} };
  (await openStore(options)).close();
  if (!makeReadOnly(join(dataDir, 'switchboard.db'))) skip('needs chattr');
  await expect(openStore(options)).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringMatching(
      /switchboard\.db can't be used \(attempt to write a readonly database\): DATA_DIR must be [^.]*\.$/,
    ),
  });
  const looking = await openForCommand(options);
  expect(await looking.records.workspaces.list()).toEqual([]);
  looking.close();
});
