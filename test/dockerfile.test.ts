import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { scripts, devDependencies, engines } = JSON.parse(read('package.json'));

it('the image starts the bot as `npm start` does', () => {
  const [, command] = /^CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command ?? '').join(' ')).toBe(scripts.start);
});

it('the image has the minor version of Node that the tests run on', () => {
  const [, minor] = /^FROM node:(\d+\.\d+)-slim$/m.exec(read('Dockerfile')) ?? [];
  expect(`${devDependencies.node}`.startsWith(`${minor}.`)).toBe(true);
  expect(engines.node).toBe(`>=${minor?.split('.')[0]}`);
});

it.each([
  ['8080', '8080'],
  // An empty variable counts as not set.
  ['', '3000'],
])('with PORT=%s the health check asks port %s', (PORT, port) => {
  const [, words = ''] = /^HEALTHCHECK .*\\\n +CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  const [, ...check] = JSON.parse(words);
  const tell = 'globalThis.fetch = async (url) => { console.log(url); return { ok: true }; }';
  const asked = spawnSync(process.execPath, ['--import', `data:text/javascript,${tell}`, ...check], {
    env: { PORT },
    encoding: 'utf8',
  });
  expect(asked.stdout).toBe(`http://127.0.0.1:${port}/healthz\n`);
});

it('neither bot nor operator’s commands let a signal open the inspector', () => {
  for (const name of ['start', 'admin']) expect(scripts[name], name).toMatch(/^node --disable-sigusr1 /);
});

describe('the image holds the product alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-image-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const checkout = new URL('..', import.meta.url).pathname;
  const copied = [...read('Dockerfile').matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  for (const path of copied) cpSync(join(checkout, path), join(folder, path), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));

  const slack = { SLACK_BOT_TOKEN: ['xoxb', 'image'].join('-'), SLACK_SIGNING_SECRET: 'a secret' };
  const service = { SMS_BASE_URL: 'sandbox', ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };

  it('nothing else is copied, and Docker gets nothing else', () => {
    expect(readdirSync(folder).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json', 'src']);
    const given = read('.dockerignore').trim().split('\n');
    expect(given).toEqual(['*', ...copied.map((path) => `!${path}`)]);
  });

  it.each([
    ['the playground', { NODE_ENV: '' }],
    ['the imitated service', { NODE_ENV: 'production', ...slack, ...service }],
  ])('asked for %s, it says in one sentence that it has none', (_, env) => {
    const ended = spawnSync(process.execPath, ['src/start.js'], { cwd: folder, env, encoding: 'utf8' });
    expect(ended.stderr).toMatch(/^This image holds the bot alone: .*\.\n$/);
    expect(ended.stdout).toBe('');
    expect(ended.status).toBe(1);
  });
});
