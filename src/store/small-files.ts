import { existsSync, readFileSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unusableFile } from './store-error.ts';

/** The text of a small file, without space around it; empty if there is no file. @throws StoreError if it can't be read */
export function readSmallFile(file: string): string {
  if (!existsSync(file)) return '';
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    // A command that another account ran has written it.
    throw unusableFile(file, error);
  }
}

/** Writes a small file that only the bot's own account may read. After a power cut it has its old text or this one. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  await writeFile(next, text, { mode: 0o600, flush: true });
  await rename(next, file);
  await using folder = await open(dirname(file));
  await folder.sync();
}
