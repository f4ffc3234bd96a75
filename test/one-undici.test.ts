import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../src');
/** Whoever of the two is loaded first makes the agent that all requests to Slack go through. */
const PROGRAM = `
for (const file of ['bot.ts', 'metrics/serve.ts']) await import('${src}/' + file);
const { Agent, getGlobalDispatcher } = await import('undici');
console.log(getGlobalDispatcher() instanceof Agent);`;

test('the bot does not load Node’s own undici beside the one of its own', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM]);
  expect(stdout).toBe('true\n');
});
