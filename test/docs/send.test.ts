import { describe, expect, it } from 'vitest';
import { diagram, isThere, read } from '../helpers/documents.ts';

const page = read('docs/architecture.md');

describe('a send', () => {
  const lines = diagram(page, 'A send');
  const files = new Map(
    lines.flatMap((line) => {
      const [, id = '', file = ''] = /^participant (\w+) as (\S+)$/.exec(line) ?? [];
      return id === '' ? [] : [[id, `src/${file}`] as const];
    }),
  );
  const calls = lines.flatMap((line) => {
    const [, from = '', to = '', called = ''] = /^(\w+)->>(\w+): (\w+)/.exec(line) ?? [];
    const file = files.get(to);
    return file === undefined || !files.has(from) ? [] : [{ file, called }];
  });

  it('goes through files that exist', () => {
    expect(files.size).toBeGreaterThan(5);
    expect([...files.values()].filter((file) => !isThere(file))).toEqual([]);
  });

  it.each(calls)('$file has $called', ({ file, called }) => {
    expect(read(file)).toMatch(new RegExp(`\\b${called}\\b`));
  });
});
