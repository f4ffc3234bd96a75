import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { COMPILE_CACHE, type Command, START } from './start-command.ts';

/** Fills the compile cache if it is empty. The tests' own threads, such as those that read lists, use it too. */
export function setup(): void {
  if (!existsSync(COMPILE_CACHE)) compile(START);
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE;
}

/**
 * Compiles a bot by a start that fails. A bot writes the cache only when it ends in order. Bots that tests kill never
 * write it, so each would compile for a second.
 */
export function compile([program, ...words]: Command): void {
  // Without the other variables, it starts neither a bot nor the playground.
  const env = {
    PATH: process.env.PATH ?? '',
    SLACK_BOT_TOKEN: 'xoxb-none',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  spawnSync(program, words, { cwd: tmpdir(), env, timeout: 60_000 });
}
