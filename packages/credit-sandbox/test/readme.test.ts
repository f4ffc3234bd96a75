import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Switches } from '../src/switches.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

it('the example of the README runs as it is, and prints what the README says', async () => {
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module-typescript', '--eval', example],
    { cwd: import.meta.dirname },
  );
  expect(stdout.trim()).toBe(/It prints `(.*)`/.exec(readme)?.[1]);
});

it('the README has every switch with its default', () => {
  const [, section = ''] = readme.split('## Switches');
  const rows = [...section.matchAll(/^\| `(\w+)` \|.*\| `(.*)` \|$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const defaults = Object.entries(Switches.parse({})).map(([name, value]) => [name, JSON.stringify(value)]);
  expect(rows).toEqual(defaults);
});
