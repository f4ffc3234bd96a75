import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The compile cache that all bots of tests share: with a cache of its own, each would start slowly. */
export const COMPILE_CACHE = join(root, 'node_modules/.cache/switchboard-tests');

/** A program and its arguments. */
export type Command = [program: string, ...words: string[]];

/** The command of `npm start`, for any folder: the program, Node's options and the bot's first file. */
export const START = startCommand();

/** The same with the bundled bot, if there is one: for tests that are not about a start itself. */
export const START_BUNDLED = startBundled(process.env.BUNDLED_BOT);

/** The command of `npm run admin`, from the same bundle, if there is one. */
export const ADMIN: Command = [
  process.execPath,
  process.env.BUNDLED_BOT ? join(dirname(process.env.BUNDLED_BOT), 'admin.mjs') : join(root, 'src/admin.ts'),
];

/** The command of `npm start`, with this file as the bot's first. */
export function startBundled(first = START.at(-1) ?? ''): Command {
  return [...START.slice(0, -1), first] as string[] as Command;
}

function startCommand(): Command {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...words] = String(scripts.start).split(' ');
  const file = words.pop() ?? '';
  return [process.execPath, ...words, join(root, file)];
}
