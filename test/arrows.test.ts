import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
const rooms: { includes: string[]; group: string[] }[] = overrides
  .map((override: { includes: string[]; linter: { rules: { style?: Record<string, unknown> } } }) => {
    const rule = override.linter.rules.style?.noRestrictedImports as
      | { options: { patterns: { group: string[] }[] } }
      | undefined;
    return { includes: override.includes, group: rule?.options.patterns[0]?.group ?? [] };
  })
  .filter(
    ({ includes, group }: { includes: string[]; group: string[] }) =>
      group.length > 0 && includes[0]?.startsWith('src/'),
  );
const packages = readdirSync(join(root, 'packages'));

/** Biome enforces which room may import which; this keeps its lists whole. */
describe('the arrows between the rooms', () => {
  const files = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'));
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );

  it.each(rooms)('$includes may not import the files that join the rooms', ({ group }) => {
    for (const file of files) expect(group).toContain(`**/${file}`);
  });

  it.each(rooms)(
    '$includes may import neither the packages nor what joins them with the bot',
    ({ group }) => {
      for (const name of ['**/local/**', ...packages]) expect(group).toContain(name);
    },
  );

  it.each(rooms)('$includes names every other room, but for those it may import', ({ includes, group }) => {
    const room = includes[0]?.split('/')[1] ?? '';
    const allowed: { [room: string]: string[] } = {
      core: ['sms', 'ledger', 'records', 'data', 'store'],
      slack: ['core'],
      sms: [],
      store: [],
      ledger: ['store'],
      records: ['store'],
      data: ['store', 'ledger', 'records'],
      metrics: ['sms', 'ledger', 'records', 'data'],
    };
    const named = folders.map(({ name }) => name).filter((name) => group.includes(`**/${name}/**`));
    const expected = folders
      .map(({ name }) => name)
      .filter((name) => name !== room && !allowed[room]?.includes(name));
    expect(named.sort()).toEqual(expected.sort());
  });
});

describe('the product and the imitations', () => {
  /** What the TypeScript and JavaScript files of a folder import, by file. */
  function importsOf(folder: string): { file: string; imported: string }[] {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.[jt]s$/.test(file) && !file.includes('node_modules'))
      .map((file) => join(folder, file))
      .flatMap((file) => {
        const found = readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\(|import) ?'([^']+)'/g);
        return [...found].map(([, imported = '']) => ({ file, imported }));
      });
  }
  /** The path from the root that a relative import names; undefined for a package. */
  const pathOf = ({ file, imported }: { file: string; imported: string }) =>
    imported.startsWith('.') ? join(file, '..', imported) : undefined;

  it('src reaches outside itself in main.ts only, and there only local', () => {
    const outside = importsOf('src').filter((one) => {
      const path = pathOf(one);
      return path === undefined ? packages.includes(one.imported) : !path.startsWith('src/');
    });
    expect([...new Set(outside.map(({ file }) => file))]).toEqual(['src/main.ts']);
    for (const one of outside) expect(pathOf(one)).toMatch(/^local\//);
  });

  /** A package's package.json. */
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));

  it.each(packages)('%s imports itself and its own dependencies', (name) => {
    const { dependencies, devDependencies } = manifestOf(name);
    const allowed = { src: dependencies, test: { ...dependencies, ...devDependencies } };
    for (const [folder, known] of Object.entries(allowed)) {
      const imports = importsOf(join('packages', name, folder));
      expect(imports.length).toBeGreaterThan(20);
      for (const one of imports) {
        const path = pathOf(one);
        if (path !== undefined) expect(path, one.file).toMatch(new RegExp(`^packages/${name}/`));
        else if (!/^node:|^\//.test(one.imported))
          expect(Object.keys(known), one.file).toContain(/^(?:@[^/]+\/)?[^/]+/.exec(one.imported)?.[0]);
      }
    }
  });

  it.each(packages)('%s has its dependencies in the versions of the product', (name) => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const ours = { ...own.dependencies, ...own.devDependencies };
    const { dependencies, devDependencies } = manifestOf(name);
    for (const [one, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, one).toBe(ours[one] ?? version);
      expect(version, one).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });
});

describe('the arrows within core', () => {
  const core = join(root, 'src/core');
  /** Each part and what it may import; of what lies beside the parts, BESIDE. */
  const below: { [part: string]: string[] } = {
    texts: [],
    lists: ['texts'],
    accounts: ['texts'],
    sends: ['accounts', 'texts'],
    jobs: ['sends', 'lists', 'accounts', 'texts'],
    dispatch: ['jobs', 'sends', 'accounts'],
    workspaces: ['accounts'],
  };
  const BESIDE = ['clock.ts', 'rounds.ts', 'topics.ts'];
  const parts = readdirSync(core, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  it('every part has a place', () => {
    expect(parts.map(({ name }) => name).sort()).toEqual(Object.keys(below).sort());
  });

  it.each(parts.map(({ name }) => name))('%s imports no part above it', (part) => {
    const found = new Set<string>();
    for (const file of readdirSync(join(core, part), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const text = readFileSync(join(core, part, file), 'utf8');
      for (const [, path = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
        const [other = '', inside] = relative(core, join(core, part, file, '..', path)).split('/');
        if (other !== '..' && other !== part) found.add(inside === undefined ? other : `${other}/`);
      }
    }
    const allowed = [...(below[part] ?? []).map((other) => `${other}/`), ...BESIDE];
    expect([...found].filter((other) => !allowed.includes(other))).toEqual([]);
  });
});
