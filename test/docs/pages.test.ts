import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/admin/commands.ts';
import { variables } from '../../src/config/variables.ts';
import {
  bytesOf,
  headingsOf,
  isThere,
  linksOf,
  namesIn,
  pages,
  picturesOf,
  read,
  rowsBelow,
  sourceOf,
} from '../helpers/documents.ts';

/** The changelog tells what was true once. */
const CHANGELOG = 'CHANGELOG.md';

describe.each(pages().filter((page) => page !== CHANGELOG))('%s', (page) => {
  const text = read(page);

  it('names only variables that exist', () => {
    const named = [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map((match) => match[0]);
    // Node itself reads the last one.
    const known = [...Object.keys(variables.shape), 'NODE_ENV', 'NODE_EXTRA_CA_CERTS'];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('names only npm scripts and admin commands that exist', () => {
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    const named = [...text.matchAll(/\bnpm (?:run )?([a-z-]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => name !== 'ci' && !scripts.includes(name))).toEqual([]);
    const commands = [...text.matchAll(/admin(?:\.ts| --) ([a-z]+(?:-[a-z]+)*)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(commands.filter((name) => !Object.hasOwn(COMMANDS, name))).toEqual([]);
  });

  it('names only files and folders that exist', () => {
    const paths = [...text.matchAll(/`([\w.][\w./-]*)`/g)].map((match) => match[1] ?? '');
    // Readers of the text make these files; and one is a method of Slack's.
    const elsewhere = [
      'chat.update',
      '.env',
      './data',
      '3000',
      '127.0.0.1',
      'switchboard.db',
      'switchboard.db-wal',
      'switchboard.db-shm',
      'switchboard.mark',
      'switchboard-moved.db',
      'bot.lock',
    ];
    const named = paths.filter((path) => /\w[./]\w|^Dockerfile$/.test(path) && !elsewhere.includes(path));
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});

describe.each(pages())('links of %s', (page) => {
  it('lead to existing files and headings', () => {
    const broken = linksOf(page).filter(
      ({ path, heading }) => !isThere(path) || (heading !== undefined && !headingsOf(path).includes(heading)),
    );
    expect(broken).toEqual([]);
  });
});

describe.each(pages())('pictures of %s', (page) => {
  it('can be understood without seeing them', () => {
    expect(picturesOf(page).filter(({ alt }) => alt.length < 20)).toEqual([]);
  });
});

describe('docs/screens.md', () => {
  const pictures = namesIn('docs/screens').map((name) => `docs/screens/${name}`);

  it('shows each picture once, and no other', () => {
    const shown = picturesOf('docs/screens.md').map(({ path }) => path);
    expect(shown.sort()).toEqual(pictures.sort());
  });

  it('loads fast: all pictures together have about 1.9 MB at most', () => {
    expect(pictures.reduce((sum, path) => sum + bytesOf(path).length, 0)).toBeLessThan(1_950_000);
  });
});

describe('docs/README.md', () => {
  it('leads to every page', () => {
    const listed = linksOf('docs/README.md').map(({ path }) => path);
    expect(listed).toEqual(expect.arrayContaining(pages().filter((page) => page !== 'docs/README.md')));
  });
});

describe('CONTRIBUTING.md', () => {
  it('has the layout: every folder of src, every package, and what lies beside them', () => {
    const named = rowsBelow(read('CONTRIBUTING.md'), '## Layout').map(([folder]) => folder);
    const folders = [
      ...namesIn('src')
        .filter((name) => !name.includes('.'))
        .map((name) => `src/${name}`),
      ...namesIn('packages').map((name) => `packages/${name}`),
      ...['local', 'test', 'bench'],
    ];
    expect(named.sort()).toEqual(folders.map((folder) => `\`${folder}\``).sort());
  });
});

describe('docs/operating.md', () => {
  it('starts the bot without npm, as `npm start` would', () => {
    const { start } = JSON.parse(read('package.json')).scripts;
    expect(read('docs/operating.md')).toContain(`NODE_ENV=production ${start}\n`);
  });
});

describe('docs/troubleshooting.md', () => {
  /** All sentences of the program, with their pieces joined. */
  const said = sourceOf('src').replace(/['`]\s*\+\s*['`]/g, '');
  const symptoms = read('docs/troubleshooting.md')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ')[0] ?? '')
    .flatMap((cell) => [...cell.matchAll(/"([^"]+)"|`([a-z][^`]* [^`]*)`/g)])
    .map(([, quoted, logged]) => quoted ?? logged ?? '')
    .filter((words) => !words.startsWith('npm '));

  it.each(symptoms)('quotes the program’s words: %s', (words) => {
    expect(said.includes(words)).toBe(true);
  });

  it('has quotes', () => expect(symptoms.length).toBeGreaterThan(15));
});
