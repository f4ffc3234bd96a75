import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether to take the documents' pictures again. */
export const TAKES_PICTURES = process.env.PICTURES === '1';

/** The path for a picture of `docs`: in `docs` with PICTURES=1, else in a temporary folder. */
export function pictureFile(name: string): string {
  const folder = TAKES_PICTURES
    ? join(import.meta.dirname, '../../docs')
    : join(tmpdir(), 'switchboard-pictures');
  mkdirSync(join(folder, name, '..'), { recursive: true });
  return join(folder, name);
}
