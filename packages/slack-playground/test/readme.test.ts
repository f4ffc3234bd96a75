import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const readme = read('README.md');

it('the example for tests runs as it is, and prints what the README says', async () => {
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', example],
    { cwd: import.meta.dirname, timeout: 20_000 },
  );
  // Bolt logs its connection before and after.
  expect(stdout.split('\n')).toContain(/It prints `(.*)`/.exec(readme)?.[1]);
});

it.each([
  ['createPlayground', 'src/server.ts', /interface PlaygroundOptions \{(.*?)^\}/ms],
  ['createPageServer', 'src/page-server.ts', /interface PageOptions \{(.*?)^\}/ms],
])('the README has every option of %s', (name, path, declaration) => {
  const options = [...(declaration.exec(read(path))?.[1] ?? '').matchAll(/^ {2}(\w+)\??[:(]/gm)];
  const [, table = ''] = new RegExp(`option of \`${name}\`.*?\\n((?:\\|.*\\n)+)`).exec(readme) ?? [];
  const rows = table.split('\n').flatMap((row) => row.split('|')[1]?.match(/\w+/g) ?? []);
  expect(rows.sort()).toEqual(options.map(([, option]) => option).sort());
});
