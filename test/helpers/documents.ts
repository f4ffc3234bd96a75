import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

const root = new URL('../../', import.meta.url);

/** The text of a file, by its path from the root. */
export function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** The bytes of a file, by its path from the root. */
export function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(path, root)));
}

/** Whether there is such a file or folder, by its path from the root. */
export function isThere(path: string): boolean {
  return existsSync(new URL(path, root));
}

/** The names in a folder, by its path from the root. */
export function namesIn(folder: string): string[] {
  return readdirSync(new URL(folder, root));
}

/** The text of all TypeScript files of a folder. */
export function sourceOf(folder: string): string {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`${folder}/${name}`))
    .join('\n');
}

/** The pages in the root and in `docs`, by their paths from the root. */
export function pages(): string[] {
  return ['', 'docs/'].flatMap((folder) =>
    namesIn(folder || '.')
      .filter((name) => name.endsWith('.md'))
      .map((name) => folder + name),
  );
}

/** A link within the repository. */
export interface Link {
  /** The path from the root. */
  path: string;
  /** The heading behind the link, by GitHub's name for it. */
  heading?: string;
}

/** The links of a page to files and headings of this repository. */
export function linksOf(page: string): Link[] {
  return [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = '', heading]) => ({
      path: path === '' ? page : posix.join(posix.dirname(page), path),
      ...(heading === undefined ? {} : { heading }),
    }),
  );
}

export interface Picture {
  /** The alternative text, on one line. */
  alt: string;
  /** The path from the root. */
  path: string;
}

/** The pictures of a page, in order. */
export function picturesOf(page: string): Picture[] {
  return [...read(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', path = '']) => ({
    alt: alt.replaceAll('\n', ' ').trim(),
    path: posix.join(posix.dirname(page), path),
  }));
}

/** The headings of a page, by GitHub's names for them. */
export function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The cells of a page's rows from a heading to the next one, without the titles of columns. */
export function rowsBelow(text: string, heading: string): string[][] {
  const section = text.split(`${heading}\n`)[1]?.split(/^#/m)[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.flatMap((line, index) => {
    const isTitle = lines[index + 1]?.startsWith('| ---');
    if (isTitle || line.startsWith('| ---')) return [];
    return [line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))];
  });
}

/** The lines of the diagram below a heading of a page. */
export function diagram(text: string, heading: string): string[] {
  const section = text.split(`## ${heading}\n`)[1] ?? '';
  const drawn = section.split('```mermaid\n')[1]?.split('\n```')[0] ?? '';
  return drawn.split('\n').map((line) => line.trim());
}
