import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openForCommand, openStore } from '../../src/data/embedded.ts';
import { tempFolder } from '../helpers/ledger-files.ts';
import { LIMITS } from '../helpers/ledger-fixtures.ts';

test('a database that another program holds locked: a bot and a command are refused in one sentence', async () => {
  const dataDir = tempFolder();
  const options = { dataDir, encryptionKeys: [Buffer.alloc(32)], limits: LIMITS, onDamaged: () => {} };
  (await openStore(options)).close();
  const other = new DatabaseSync(join(dataDir, 'switchboard.db'));
  onTestFinished(() => other.close());
  other.exec('BEGIN EXCLUSIVE');
  for (const open of [openStore, openForCommand]) {
    await expect(open(options)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(
        /^\S+switchboard\.db can't be used, since another program holds its lock: end that program, or wait for it, and try again\.$/,
      ),
    });
  }
});
