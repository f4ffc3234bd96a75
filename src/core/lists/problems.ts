import { countCharacters, customEmojiProblem } from '../texts/message-text.ts';
import { MOST_BYTES, MOST_ROWS } from './limits.ts';
import type { ListProblem, ListSource } from './list.ts';
import type { StrayBrace } from './template.ts';

/** Whether people pasted a list or handed over a file: what is wrong with it stands at that field. */
export type SourceKind = ListSource['kind'];

const MOST_NAMED = 20;
/** Characters of a template that are shown before and after a brace. */
const EXCERPT = 12;

const SENTENCES = {
  empty: 'There are no recipients in {it}. Give one a row, each with its phone number.',
  not_text: 'This is not a list as text. Save it as CSV (UTF-8) and try again.',
  workbook:
    'This is a workbook, and only CSV can be read. Save it as CSV (in Excel: Save As, CSV UTF-8) and try again.',
  too_large: '{it} is too large: up to {megabytes} MB and {rows} rows can be read. Split it into several.',
  unreadable:
    '{it} could not be read to its end, and nothing was sent. Please try again, or split it into several.',
  no_message:
    'There is no message yet. Write one, or give the list a column called message with a text for each row.',
} as const;

/** What keeps a whole list from being used, for the person whose list it is. */
export function listProblem(code: keyof typeof SENTENCES, source: SourceKind): ListProblem {
  const it = source === 'pasted' ? 'the list' : 'the file';
  const sentence = SENTENCES[code]
    .replace(/^\{it\}/, `T${it.slice(1)}`)
    .replace('{it}', it)
    .replace('{megabytes}', String(MOST_BYTES / 1024 / 1024))
    .replace('{rows}', MOST_ROWS.toLocaleString('en'));
  return { kind: 'problem', field: code === 'no_message' ? 'message' : fieldOf(source), code, sentence };
}

export function openQuoteProblem(row: number, source: SourceKind): ListProblem {
  return {
    kind: 'problem',
    field: fieldOf(source),
    code: 'open_quote',
    sentence: `In row ${row.toLocaleString('en')} a quotation mark (") opens that is not closed in its cell. Close it or take it out.`,
  };
}

export function noPhoneColumnProblem(names: string[], source: SourceKind): ListProblem {
  const it = source === 'pasted' ? 'The list' : 'The file';
  return {
    kind: 'problem',
    field: fieldOf(source),
    code: 'no_phone_column',
    sentence: `${it} needs a column called phone; there are: ${listed(names)}`,
  };
}

export function unknownPlaceholderProblem(unknown: string[], names: string[]): ListProblem {
  const called = listed(unknown.map((name) => `{${name}}`));
  const offered = listed(names.map((name) => (name.startsWith('{') ? name : `{${name}}`)));
  const sentence =
    unknown.length === 1
      ? `There is no column for ${called}; there are: ${offered}`
      : `There are no columns for ${called}; there are: ${offered}`;
  return { kind: 'problem', field: 'message', code: 'unknown_placeholder', sentence };
}

export function strayBraceProblem(template: string, { kind, index }: StrayBrace): ListProblem {
  const position = (countCharacters(template.slice(0, index)) + 1).toLocaleString('en');
  const where = `at position ${position}`;
  const excerpt = excerptAt(template, index);
  const [, name = ''] = /^\{\{([^|}]*)/.exec(template.slice(index)) ?? [];
  const sentences = {
    unclosed: `The { ${where} is never closed: ${excerpt}. To show a {, type {{.`,
    unopened: `The } ${where} was never opened: ${excerpt}. To show a }, type }}.`,
    nameless: `The braces ${where} name no column: ${excerpt}. To show braces, type {{ and }}.`,
    doubled: `The {{ ${where} would show as a brace: ${excerpt}. To fill in the column, type {${name.trim()}}.`,
  };
  return { kind: 'problem', field: 'message', code: 'stray_brace', sentence: sentences[kind] };
}

/** `“Hi ▸{name, your…”`, on one line. */
function excerptAt(text: string, index: number): string {
  const before = [...text.slice(0, index)];
  const after = [...text.slice(index)];
  const shown = (characters: string[]) => characters.join('').replace(/[\s\p{C}]+/gu, ' ');
  const start = `${before.length > EXCERPT ? '…' : ''}${shown(before.slice(-EXCERPT)).trimStart()}`;
  const end = `${shown(after.slice(0, EXCERPT)).trimEnd()}${after.length > EXCERPT ? '…' : ''}`;
  return `“${start}▸${end}”`;
}

/** The problem with custom emoji of these names, in the sentence that single messages have for it. */
export function listEmojiProblem(field: ListProblem['field'], names: string[]): ListProblem {
  return { kind: 'problem', field, code: 'custom_emoji', sentence: customEmojiProblem(names).sentence };
}

function fieldOf(source: SourceKind): ListProblem['field'] {
  return source === 'pasted' ? 'recipients' : 'file';
}

function listed(names: string[]): string {
  const [...shown] = names
    .slice(0, MOST_NAMED)
    .map((name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more.toLocaleString('en')} more` : shown.join(', ');
}
