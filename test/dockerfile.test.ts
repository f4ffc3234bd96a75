import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

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

it('neither bot nor operator’s commands let a signal open the inspector', () => {
  for (const name of ['start', 'admin']) expect(scripts[name], name).toMatch(/^node --disable-sigusr1 /);
});
