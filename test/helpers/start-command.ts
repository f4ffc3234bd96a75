import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Where bots of tests find what was compiled before: each in a folder of its own would begin slowly. */
export const COMPILE_CACHE = join(root, 'node_modules/.cache/switchboard-tests');

/** What `npm start` runs, to be run from any folder: the program, Node's options and the bot's first file. */
export const START = startCommand();

function startCommand(): [string, ...string[]] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, ...words] = String(scripts.start).split(' ');
  const file = words.pop() ?? '';
  return [process.execPath, ...words, join(root, file)];
}
