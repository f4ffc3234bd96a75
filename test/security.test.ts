import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const document = read('docs/security.md');

/** A test that the document names: its file, and its name in the document. */
interface Named {
  file: string;
  name: string;
}

function testsNamedIn(text: string): Named[] {
  return [...text.matchAll(/`(test\/[\w./-]+\.ts)` “([^”]+)”/g)].map(([, file = '', name = '']) => ({
    file,
    name,
  }));
}

describe('docs/security.md', () => {
  const rows = document
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (---|what|who|with) \|/.test(line));

  it('has lines', () => expect(rows.length).toBeGreaterThan(20));

  it.each(rows)('%s', (row) => {
    expect(testsNamedIn(row)).toHaveLength(1);
  });

  it.each(testsNamedIn(document))('$file has “$name”', ({ file, name }) => {
    const named = read(file).split(name).slice(0, -1);
    // In a file, a test's name follows the bracket of its call. The name of a table of tests may be longer.
    expect(named.some((before) => /\(\s*['`]$/.test(before))).toBe(true);
  });
});
