import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ADMIN = join(import.meta.dirname, '../../src/admin.ts');

test('a command whose reader has closed the pipe, such as head, ends its work without a stack', async () => {
  const command = spawn(process.execPath, [ADMIN, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  // At once: the command takes longer to start.
  command.stdout.destroy();
  let said = '';
  command.stderr.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const [code] = await once(command, 'close');
  expect({ code, said }).toEqual({ code: 0, said: '' });
});
