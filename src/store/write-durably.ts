import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a small file that only the bot's own account may read. After a power cut it has its old text or this one. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const next = `${file}.new`;
  await writeFile(next, text, { mode: 0o600, flush: true });
  await rename(next, file);
  await using folder = await open(dirname(file));
  await folder.sync();
}
