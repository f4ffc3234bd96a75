import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Where bots of tests find what was compiled before: each in a folder of its own would begin slowly. */
export const COMPILE_CACHE = join(root, 'node_modules/.cache/switchboard-tests');

/** A program and what follows it on its line. */
export type Command = [program: string, ...words: string[]];

/** What `npm start` runs, to be run from any folder: the program, Node's options and the bot's first file. */
export const START = startCommand();

/** The same of the bot in few files, where there is one: for tests that are not about a start itself. */
export const START_BUNDLED = startBundled(process.env.BUNDLED_BOT);

/** What `npm start` runs, with this file as the bot's first. */
export function startBundled(first = START.at(-1) ?? ''): Command {
  return [...START.slice(0, -1), first] as string[] as Command;
}

function startCommand(): Command {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...words] = String(scripts.start).split(' ');
  const file = words.pop() ?? '';
  return [process.execPath, ...words, join(root, file)];
}
