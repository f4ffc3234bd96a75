import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** An import of a file. */
export interface Import {
  file: string;
  /** For our own files a path from the root, as `file` is; else as it is written. */
  target: string;
  isOurs: boolean;
}

/** Also finds `require`, and types that a comment in JavaScript imports: a parser of modules finds neither. */
const IMPORT = /\b(?:(?:from|import) ['"]|(?:import|require)\(\s*['"`])([^'"`\s]+)/g;

/** The folders of our packages, by the names under which files import them. */
export const packages: string[] = readdirSync(join(ROOT, 'packages'));

/** All our TypeScript and JavaScript files. */
export const files: string[] = globSync('{*,.ci/**/*,*/**/*}.{ts,mts,cts,js,mjs,cjs}', {
  cwd: ROOT,
  exclude: (name) => name === 'node_modules' || name === 'coverage',
});

/** All imports of all these files. */
export const imports: Import[] = files.flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)].map(([, name = '']) => {
    if (name.startsWith('.')) return { file, target: join(file, '..', name), isOurs: true };
    const isOurs = packages.some((one) => `${name}/`.startsWith(`${one}/`));
    return { file, target: isOurs ? join('packages', name) : name, isOurs };
  }),
);
