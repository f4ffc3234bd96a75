import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { COMPILE_CACHE, START } from './start-command.ts';

/**
 * Fills the cache of compiled files where there is none, by a start that is refused. A bot writes it as it ends in order:
 * those that tests kill never would, and each compiles for a second.
 */
export function setup(): void {
  if (existsSync(COMPILE_CACHE)) return;
  const [command, ...words] = START;
  // Without the other variables it is neither a bot nor the playground.
  const env = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: 'xoxb-none',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  spawnSync(command, words, { cwd: tmpdir(), env, timeout: 60_000 });
}
