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
  .filter(({ group }: { group: string[] }) => group.length > 0);

/** Biome enforces which room may import which; this keeps its lists whole. */
describe('the arrows between the rooms', () => {
  const files = readdirSync(join(root, 'src')).filter((name) => name.endsWith('.ts'));
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );

  it.each(rooms)('$includes may not import the files that join the rooms', ({ group }) => {
    for (const file of files) expect(group).toContain(`**/${file}`);
  });

  it.each(rooms)('$includes names every other room, but for those it may import', ({ includes, group }) => {
    const room = includes[0]?.split('/')[1] ?? '';
    const allowed: { [room: string]: string[] } = {
      core: ['sms', 'ledger', 'records', 'data', 'store'],
      slack: ['core'],
      sandbox: [],
      sms: [],
      store: [],
      ledger: ['store'],
      records: ['store'],
      data: ['store', 'ledger', 'records'],
      playground: [],
      metrics: ['sms', 'ledger', 'records', 'data'],
    };
    const named = folders.map(({ name }) => name).filter((name) => group.includes(`**/${name}/**`));
    const expected = folders
      .map(({ name }) => name)
      .filter((name) => name !== room && !allowed[room]?.includes(name));
    expect(named.sort()).toEqual(expected.sort());
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
