import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('the image starts the bot as `npm start` does', () => {
  const [, command] = /^CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  expect(JSON.parse(command ?? '').join(' ')).toBe(JSON.parse(read('package.json')).scripts.start);
});
