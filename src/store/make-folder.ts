import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** As `mkdir -p`. Node's own never returns if a file system answers ENOENT to every mkdir, as /proc does. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have just made it.
    if (!existsSync(folder)) throw error;
  }
}
