import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** What the TypeScript and JavaScript files of a folder import, by file; paths are from the root. */
export function importsOf(folder: string): { file: string; imported: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[jt]s$/.test(file) && !file.includes('node_modules'))
    .map((file) => join(folder, file))
    .flatMap((file) => {
      const found = readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\(|import) ?'([^']+)'/g);
      return [...found].map(([, imported = '']) => ({ file, imported }));
    });
}
