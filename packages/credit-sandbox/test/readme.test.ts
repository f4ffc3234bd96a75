import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Fault } from '../src/faults.ts';
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

const { kind: _, ...fault } = Fault.parse({ kind: 'reset' });
it.each([
  ['switch', Switches.parse({})],
  ['field of a fault', fault],
])('the README has every %s with its default', (what, defaults) => {
  const [, table = ''] = new RegExp(`^\\| ${what} \\|.*\n((?:\\|.*\n)+)`, 'm').exec(readme) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \|.*\| `(.*)` \|$/gm)].map(([, name, value]) => [name, value]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, JSON.stringify(value)])),
  );
});
