import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'page');

/** A path that stays inside its folder: no segment is empty or begins with a dot. */
const PLAIN_PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

const TYPES: { [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

/** The file at `path`, such as `main.js`, in `folder`; undefined if there is none, or it is of no type for browsers. */
export async function readPageFile(path: string, folder = FOLDER) {
  const type = TYPES[extname(path)];
  if (!type || !PLAIN_PATH.test(path)) return undefined;
  try {
    return { type, body: new Uint8Array(await readFile(join(folder, path))) };
  } catch {
    return undefined;
  }
}
