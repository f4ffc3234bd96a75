import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { files, imports, packages, ROOT } from './helpers/all-imports.ts';
import { drawRooms } from './helpers/draw-rooms.ts';
import { judge, keptLibraries, reached, readRooms, unplaced } from './helpers/rooms.ts';

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
const { dependencies, devDependencies } = manifestOf('.');
const ours = { ...dependencies, ...devDependencies };

describe('rooms.yaml', () => {
  const rooms = readRooms(parse(readFileSync(join(ROOT, 'rooms.yaml'), 'utf8')));

  it('has a line for each folder', () => {
    expect(unplaced(rooms, files)).toEqual([]);
  });

  it('lists exactly what files import', () => {
    expect(judge(rooms, imports)).toEqual({ refused: [], unneeded: [] });
  });

  it('lists rooms that are there, and libraries of package.json', () => {
    expect(rooms.filter(({ path }) => !files.some((file) => `${file}/`.startsWith(`${path}/`)))).toEqual([]);
    const names = Object.keys(ours);
    const unknown = keptLibraries(rooms).filter(
      (one) => !names.some((name) => `${name}/`.startsWith(`${one}/`)),
    );
    expect(unknown).toEqual([]);
  });

  it('has one meaning for each name', () => {
    const names = rooms.map(({ path, outer }) => `${outer}: ${basename(path)}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('has no arrows that lead round in a circle', () => {
    expect(rooms.filter(({ path }) => reached(rooms, path).has(path))).toEqual([]);
  });

  it('is what docs/rooms.md shows', async () => {
    await expect(drawRooms(rooms)).toMatchFileSnapshot('../docs/rooms.md');
  });
});

describe('a rule', () => {
  const rooms = readRooms({
    src: { 'main.ts': ['core', 'web'], core: ['store'], store: ['keyv'], web: [] },
    'src/core': { jobs: ['texts'], texts: [] },
    '.': { test: ['anything'] },
  });
  const judged = (file: string, target: string, isOurs = true) =>
    judge(rooms, [{ file, target, isOurs }]).refused;

  it.each([
    ['of a room beside it', 'src/core/core.ts', 'src/web/a.ts'],
    ['of a file that joins rooms', 'src/store/a.ts', 'src/main.ts'],
    ['of what a listed room lists', 'src/main.ts', 'src/store/a.ts'],
    ['of a part above it', 'src/core/texts/a.ts', 'src/core/jobs/a.ts'],
    ['of a file that joins the parts', 'src/core/texts/a.ts', 'src/core/core.ts'],
    ['of what has no room', 'src/core/core.ts', 'docs/a.json'],
    ['of a room with a longer name', 'src/core/core.ts', 'src/store-b/a.ts'],
  ])('refuses an import %s', (_, file, target) => {
    expect(judged(file, target)).toEqual([`${file}: ${target}`]);
  });

  it.each([
    ['of a listed room', 'src/main.ts', 'src/core/jobs/a.ts'],
    ['within a room', 'src/core/core.ts', 'src/core/jobs/a.ts'],
    ['of a listed part', 'src/core/jobs/a.ts', 'src/core/texts/a.ts'],
    ['of what the room around it lists', 'src/core/texts/a.ts', 'src/store/a.ts'],
    ['of anything, for who lists that', 'test/a.test.ts', 'src/store/a.ts'],
  ])('allows an import %s', (_, file, target) => {
    expect(judged(file, target)).toEqual([]);
  });

  it('lets only the rooms that list a library import it', () => {
    expect(judged('src/store/a.ts', 'keyv', false)).toEqual([]);
    expect(judged('src/web/a.ts', 'keyv/sub', false)).toEqual(['src/web/a.ts: keyv/sub']);
    expect(judged('src/web/a.ts', 'keyvy', false)).toEqual([]);
  });

  it('names listings that no import needs', () => {
    expect(judge(rooms, []).unneeded).toContain('src/core/jobs: src/core/texts');
  });

  it('finds files without a room: outside all, or in a folder beside parts', () => {
    const placed = ['src/web/deep/a.ts', 'src/core/core.ts', 'src/core/jobs/deep/a.ts'];
    const homeless = ['a.ts', 'src/b.ts', 'src/new/a.ts', 'src/core/new/a.ts'];
    expect(unplaced(rooms, [...placed, ...homeless])).toEqual(homeless);
  });
});

describe.each(packages)('%s', (name) => {
  const own = manifestOf(join('packages', name));

  it('imports its own dependencies', () => {
    const libraries = imports.filter(
      ({ file, target, isOurs }) =>
        file.startsWith(`packages/${name}/`) && !isOurs && !/^(?:node:|\/)/.test(target),
    );
    expect(libraries).not.toEqual([]);
    const known = Object.keys(own.dependencies);
    const knownInTests = [...known, ...Object.keys(own.devDependencies)];
    const unknown = libraries.filter(({ file, target }) => {
      const names = file.startsWith(`packages/${name}/test/`) ? knownInTests : known;
      return !names.some((one) => `${target}/`.startsWith(`${one}/`));
    });
    expect(unknown).toEqual([]);
  });

  it('has them in the versions of the product', () => {
    for (const [one, version] of Object.entries({ ...own.dependencies, ...own.devDependencies })) {
      expect(version, one).toBe(ours[one] ?? version);
      expect(version, one).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});
