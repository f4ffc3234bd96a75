import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { COMPILE_CACHE, type Command, START } from './start-command.ts';

/** Fills the cache of compiled files where there is none. The tests' own threads, as those that read lists, use it too. */
export function setup(): void {
  if (!existsSync(COMPILE_CACHE)) compile(START);
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE;
}

/**
 * Compiles a bot by a start that is refused. A bot writes the cache as it ends in order: those that tests kill never
 * would, and each compiles for a second.
 */
export function compile([program, ...words]: Command): void {
  // Without the other variables it is neither a bot nor the playground.
  const env = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: 'xoxb-none',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  spawnSync(program, words, { cwd: tmpdir(), env, timeout: 60_000 });
}
