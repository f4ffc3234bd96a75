import type { ListProblem } from '../../../core/lists/list.ts';
import { MOST_BYTES, MOST_ROWS } from '../../../core/lists/list-limits.ts';
import { countCharacters } from '../../../core/texts/message-text.ts';
import { cut, oneLine } from '../safe-text.ts';
import { customEmoji } from '../texts/typed-problems.ts';
import { count, firstOf } from '../words.ts';

const MOST_NAMED = 20;
const NAME_MAX = 40;
/** How many characters of a template we show before and after a brace. */
const EXCERPT = 12;

/** Why we can't use a list at all: plain text for its field. */
export function listProblemSentence(problem: ListProblem): string {
  const source = problem.field === 'recipients' ? 'list' : 'file';
  switch (problem.code) {
    case 'empty':
      return `There are no recipients in the ${source}. Give each one a row, with the phone number.`;
    case 'not_text':
      return `This ${source} is not plain text. Save it as CSV (UTF-8) and try again.`;
    case 'foreign_letters':
      return `The characters of this ${source} can’t be read. Save it as CSV (UTF-8) and try again.`;
    case 'workbook':
      return 'Excel and other spreadsheet files aren’t supported yet. Save yours as CSV UTF-8, then try again.';
    case 'too_large':
      return `The ${source} is too large: at most ${MOST_BYTES / 1024 / 1024} MB and ${count(MOST_ROWS)} rows. Split it into several.`;
    case 'unreadable':
      return `The ${source} could not be read to its end. Please try again, or split it into several.`;
    case 'no_message':
      return 'There is no message yet. Write one, or add a column called message with each row’s text.';
    case 'no_opt_out_text':
      return 'No text is set for {optout}. Take {optout} out, or ask an admin to set that text in /sms limits.';
    case 'open_quote':
      return `In row ${count(problem.row)} a quotation mark (") is not closed in its cell. Close it or take it out. If it is closed, a line in this cell looks like a row: join its lines.`;
    case 'no_phone_column':
      return problem.field === 'recipients'
        ? 'There is no phone number in the list. Start each line with the phone number, with + and the country code.'
        : `The ${source} needs a column called phone; it has: ${listed(problem.columns)}`;
    case 'unknown_placeholder':
      return unknownPlaceholder(problem.names, problem.columns);
    case 'same_names': {
      const places = problem.positions.map((position) => `{${position}}`).join(' or ');
      return `Several columns are called ${cut(problem.name, NAME_MAX)}. Write ${places} instead.`;
    }
    case 'stray_brace':
      return strayBrace(problem);
    case 'custom_emoji':
      return customEmoji(problem.names);
  }
}

function unknownPlaceholder(unknown: string[], columns: string[]): string {
  const there = unknown.length === 1 ? 'There is no column' : 'There are no columns';
  const offered = listed(columns.map((name) => (name.startsWith('{') ? name : `{${name}}`)));
  const fact = `${there} for ${listed(unknown.map((name) => `{${name}}`))}; the columns are: ${offered}`;
  // Without a header row, columns have only their places.
  const hasNames = columns.some((name) => !name.startsWith('{'));
  return hasNames ? fact : `${fact}. To use names, write them as the first row, such as: phone,name`;
}

function strayBrace({ template, brace, index }: ListProblem & { code: 'stray_brace' }): string {
  const where = `at position ${count(countCharacters(template.slice(0, index)) + 1)}`;
  const excerpt = excerptAt(template, index);
  const [, name = ''] = /^\{\{([^|}]*)/.exec(template.slice(index)) ?? [];
  switch (brace) {
    case 'unclosed':
      return `The { ${where} is never closed: ${excerpt}. To show a {, type {{.`;
    case 'unopened':
      return `The } ${where} was never opened: ${excerpt}. To show a }, type }}.`;
    case 'nameless':
      return `The braces ${where} hold no column’s name: ${excerpt}. To show braces, type {{ and }}.`;
    case 'doubled':
      return `The {{ ${where} would show as a plain {: ${excerpt}. To fill in the column, type {${name.trim()}}.`;
  }
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

function listed(names: string[]): string {
  const shown = names.map((name) => cut(name, NAME_MAX));
  return firstOf(shown, MOST_NAMED);
}

/** Why we could not get a file from Slack: plain text for its field. */
export const FILE_SENTENCES = {
  gone: 'Switchboard can’t see this file: it was deleted, or Switchboard is not in its channel. Upload it here instead.',
  refused:
    'Slack did not hand this file over. Choose it again, or paste the recipients. If that fails, an admin can check the scope files:read.',
  busy: 'Slack asks for a short pause before it hands files out. Please try again in a minute.',
  noAnswer: 'Slack did not answer when we asked for this file. Please try again in a moment.',
  tooLarge: `This file is too large: at most ${MOST_BYTES / 1024 / 1024} MB. Please split it into several.`,
} as const;

/** Why the list form has no file, when somebody opened it from a message: plain text. */
export const MESSAGE_FILES = {
  none: 'This message has no file.',
  several: 'This message has several lists. Upload here the one that you want to send.',
  noList: 'None of this message’s files is a list. Save your list as .csv, then upload it here.',
  /** If Slack does not say the file's name. */
  unnamed: 'the message’s file',
} as const;

/** A list in a message or behind a command does not fit into the form: plain text. */
export const TYPED_LIST_TOO_LONG =
  'This list is too long for the field. Save it as a .csv file, and choose that file here.';

const WORKBOOKS = ['xlsx', 'xls', 'xlsm', 'xlsb', 'ods', 'numbers'];

/** The file is no list; `ending` in small letters, without its dot. */
export function wrongEnding(name: string, ending: string): string {
  return WORKBOOKS.includes(ending)
    ? `${oneLine(name)} is a spreadsheet file, which isn’t supported yet. Save it as CSV UTF-8, then choose that file.`
    : `${oneLine(name)} cannot be read as a list. Its name must end in .csv, .tsv or .txt.`;
}

/** Why Slack takes no file for a person, by Slack's word: trying again does not help. */
export const UPLOAD_REFUSALS: { [word: string]: string } = {
  missing_scope:
    'Switchboard is not allowed to upload files yet; an admin has to reinstall it with the scope files:write',
  not_allowed_token_type: 'Switchboard is not allowed to upload files here',
  file_uploads_disabled: 'this workspace takes no file uploads',
  storage_limit_reached: 'this workspace’s file storage is full',
  user_disabled: 'their account is deactivated',
  user_not_found: 'their account is gone',
  users_not_found: 'their account is gone',
  cannot_dm_bot: 'they have no direct messages',
};

export const UPLOAD_FAILED = 'Slack did not take it';
