import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALL_COMMANDS } from '../src/admin/all-commands.ts';
import { STORE_COMMANDS } from '../src/admin/store-commands.ts';
import { environment } from '../src/config/environment.ts';

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

const readme = read('README.md');
const variables = Object.keys(environment.shape);

describe('README.md', () => {
  it('has the two commands in blocks to copy', () => {
    const blocks = [...readme.matchAll(/^```sh\n(.*?)\n```$/gms)].map((match) => match[1]);
    expect(blocks).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });

  it('has the table of all variables', () => {
    const rows = Object.entries(environment.shape).map(([name, schema]) => {
      const { description, fallback } = schema.meta() ?? {};
      return `| \`${name}\` | ${description} | ${fallback ? `\`${fallback}\`` : '–'} |`;
    });
    const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
    const section = readme.split('## Configuration')[1]?.split('\n## ')[0] ?? '';
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    expect(lines.join('\n')).toBe(table);
  });
});

describe.each(['README.md', 'docs/operating.md', 'docs/design.md', 'docs/security.md'])('%s', (file) => {
  const text = read(file);

  it('names only variables that exist', () => {
    const named = [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map((match) => match[0]);
    const known = [...variables, 'NODE_ENV'];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('names only npm scripts and admin commands that exist', () => {
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    const named = [...text.matchAll(/\bnpm (?:run )?([a-z-]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => name !== 'ci' && !scripts.includes(name))).toEqual([]);
    const commands = [...text.matchAll(/admin(?:\.ts| --) ([a-z]+(?:-[a-z]+)*)/g)].map(
      (match) => match[1] ?? '',
    );
    const known = { ...ALL_COMMANDS, ...STORE_COMMANDS };
    expect(commands.filter((name) => !Object.hasOwn(known, name))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const paths = [...text.matchAll(/`([\w.][\w./-]*)`/g)].map((match) => match[1] ?? '');
    const linked = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map((match) => match[1] ?? '');
    // What is made when following the text is not part of the project; the last two are named with their folder.
    const made = [
      '.env',
      './data',
      '3000',
      '127.0.0.1',
      'switchboard.db',
      'switchboard.db-wal',
      'switchboard.db-shm',
      'switchboard-moved.db',
    ];
    const short = ['balance.ts', 'bot.ts', 'command.ts'];
    const named = paths.filter(
      (path) => /\w[./]\w|^Dockerfile$/.test(path) && ![...made, ...short].includes(path),
    );
    const missing = [...named, ...linked].filter(
      (path) => !existsSync(new URL(`../${path}`, import.meta.url)),
    );
    expect(missing).toEqual([]);
  });
});

describe('.env.example', () => {
  it('has every variable once, with the default where there is one', () => {
    const lines = read('.env.example').match(/^(?:# )?[A-Z_]+=.*$/gm) ?? [];
    expect(lines.map((line) => line.replace(/^# |=.*$/g, '')).sort()).toEqual([...variables].sort());
    for (const line of lines.filter((text) => text.startsWith('# '))) {
      const [name = '', value] = line.slice(2).split('=');
      const schema = environment.shape[name as keyof typeof environment.shape];
      expect(`${name}=${value}`).toBe(`${name}=${schema.meta()?.fallback ?? ''}`);
    }
  });
});
