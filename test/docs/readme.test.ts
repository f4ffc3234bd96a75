import { decode } from 'modern-gif';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/variables.ts';
import { COMMANDS, usageOf } from '../../src/slack/ui/command-list.ts';
import { bytesOf, picturesOf, read, rowsBelow } from '../helpers/documents.ts';

const readme = read('README.md');
const names = Object.keys(variables.shape);

describe('README.md', () => {
  it('has the two commands in blocks to copy', () => {
    const blocks = [...readme.matchAll(/^```sh\n(.*?)\n```$/gms)].map((match) => match[1]);
    expect(blocks).toEqual(['npm ci && npm start', 'npm ci && npm test']);
  });

  it('leads with the first minute as a moving picture that loads fast and can be read in time', () => {
    const [first] = picturesOf('README.md');
    expect(first?.path).toBe('docs/first-minute.gif');
    const bytes = bytesOf('docs/first-minute.gif');
    expect(bytes.length).toBeLessThan(3_000_000);
    const film = decode(bytes);
    expect(film.looped).toBe(true);
    const holds = film.frames.map(({ delay }) => delay);
    expect(Math.min(...holds)).toBeGreaterThanOrEqual(1500);
    expect(holds.reduce((sum, hold) => sum + hold, 0)).toBeLessThanOrEqual(40_000);
  });

  it('has the table of all commands', () => {
    const named = rowsBelow(readme, '## Commands').map(([usage]) => usage);
    expect(named).toEqual(expect.arrayContaining(COMMANDS.map((command) => `\`${usageOf(command)}\``)));
    expect(named).toHaveLength(COMMANDS.length + 1);
    expect(named).toContain('`/sms help`');
  });
});

describe('docs/configuration.md', () => {
  it('has the table of all variables', () => {
    const rows = Object.entries(variables.shape).map(([name, schema]) => {
      const { description, fallback } = schema.meta() ?? {};
      return `| \`${name}\` | ${description} | ${fallback ? `\`${fallback}\`` : '–'} |`;
    });
    const table = ['| variable | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
    const section = read('docs/configuration.md').split('## All variables')[1]?.split('\n## ')[0] ?? '';
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    expect(lines.join('\n')).toBe(table);
  });
});

describe('.env.example', () => {
  it('has every variable once, with its default if there is one', () => {
    const lines = read('.env.example').match(/^(?:# )?[A-Z_]+=.*$/gm) ?? [];
    expect(lines.map((line) => line.replace(/^# |=.*$/g, '')).sort()).toEqual([...names].sort());
    for (const line of lines.filter((text) => text.startsWith('# '))) {
      const [name = '', value] = line.slice(2).split('=');
      const schema = variables.shape[name as keyof typeof variables.shape];
      expect(`${name}=${value}`).toBe(`${name}=${schema.meta()?.fallback ?? ''}`);
    }
  });
});
