import { describe, expect, it } from 'vitest';
import { namesIn, read } from '../helpers/documents.ts';

const page = read('docs/architecture.md');

describe('the parts', () => {
  it.each([
    ['core', 'part'],
    ['slack', 'folder'],
  ])('of %s are those of the table', (part, title) => {
    const table = page.split(`| ${title} | what is in it |\n`)[1]?.split('\n\n')[0] ?? '';
    const named = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    const folders = namesIn(`src/${part}`).filter((name) => !name.includes('.'));
    expect(named.sort()).toEqual(folders.sort());
  });
});
