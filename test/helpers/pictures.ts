import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether the documents' pictures are to be taken again. */
export const TAKES_PICTURES = process.env.PICTURES === '1';

/** Where a picture of `docs` is written by a test: there with PICTURES=1, else to a temporary folder. */
export function pictureFile(name: string): string {
  const folder = TAKES_PICTURES
    ? join(import.meta.dirname, '../../docs')
    : join(tmpdir(), 'switchboard-pictures');
  mkdirSync(join(folder, name, '..'), { recursive: true });
  return join(folder, name);
}
