import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagram, isThere, namesIn, read } from '../helpers/documents.ts';
import { importsOf } from '../helpers/imports.ts';

const page = read('docs/architecture.md');

describe('the parts', () => {
  const lines = diagram(page, 'The parts');
  const labels = new Map(
    lines.flatMap((line) =>
      [...line.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id = '', label = '']) => [id, label] as const),
    ),
  );
  const partOf = (id = '') => labels.get(id) ?? id;
  const arrows = lines.flatMap((line) => {
    const [, from, to] = /^(\w+)(?:\[[^\]]*\])? --> (\w+)/.exec(line) ?? [];
    return from === undefined ? [] : [{ from: partOf(from), to: partOf(to) }];
  });
  const parts = [...labels.values()];

  /** All parts along the arrows. */
  function reachedFrom(part: string): string[] {
    const next = arrows.filter(({ from }) => from === part).map(({ to }) => to);
    return [...new Set([...next, ...next.flatMap(reachedFrom)])];
  }

  /** What each part imports of the others. */
  const imports = [...importsOf('src'), ...importsOf('local')].flatMap(({ file, imported }) => {
    const isOurs = imported.startsWith('.');
    const path = isOurs ? join(file, '..', imported) : `packages/${imported}/`;
    const nameOf = (one: string) =>
      parts.find((part) => [part, `src/${part}`].some((is) => one === is || one.startsWith(`${is}/`)));
    const [from, to] = [nameOf(file), nameOf(path)];
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });

  it('are all there', () => {
    const folders = namesIn('src').filter((name) => !name.includes('.'));
    const packages = namesIn('packages').map((name) => `packages/${name}`);
    const files = ['main.ts', 'bot.ts', 'admin.ts'];
    expect(parts.sort()).toEqual([...folders, ...packages, ...files, 'local'].sort());
    for (const file of files) expect(isThere(`src/${file}`)).toBe(true);
  });

  it.each(arrows)('$from imports $to', (arrow) => {
    expect(imports).toContainEqual(arrow);
  });

  it('import nothing but what lies along their arrows', () => {
    expect(imports.filter(({ from, to }) => !reachedFrom(from).includes(to))).toEqual([]);
  });

  it.each([
    ['core', 'part'],
    ['slack', 'folder'],
  ])('of %s are those of the table', (part, title) => {
    const table = page.split(`| ${title} | what is in it |\n`)[1]?.split('\n\n')[0] ?? '';
    const named = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const folders = namesIn(`src/${part}`).filter((name) => !name.includes('.'));
    expect(named.sort()).toEqual(folders.sort());
  });
});
