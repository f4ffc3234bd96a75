import { oneLine } from '../safe-text.ts';

/** Why we could not get a file from Slack: plain text for its field. */
export const FILE_SENTENCES = {
  gone: 'Switchboard can’t see this file: it was deleted, or Switchboard is not in its channel. Upload it here instead.',
  refused:
    'Slack did not hand this file over. Choose it again, or paste the recipients. If that fails, an admin can check the scope files:read.',
  busy: 'Slack asks for a short pause before it hands files out. Please try again in a minute.',
  noAnswer: 'Slack did not answer when we asked for this file. Please try again in a moment.',
} as const;

/** Why the list form has no file, when somebody opened it from a message: plain text. */
export const MESSAGE_FILES = {
  none: 'This message has no file.',
  several: 'This message has several lists. Upload the one you want here.',
  noList: 'None of this message’s files is a list. Save yours as .csv, then upload it here.',
  /** For a file whose name Slack does not say. */
  unnamed: 'the message’s file',
} as const;

const WORKBOOKS = ['xlsx', 'xls', 'xlsm', 'xlsb', 'ods', 'numbers'];

export function fileTooLarge(mostBytes: number): string {
  return `This file is too large: at most ${mostBytes / 1024 / 1024} MB. Please split it into several.`;
}

/** The file is of another kind; `ending` in small letters, without its dot. */
export function wrongEnding(name: string, ending: string): string {
  return WORKBOOKS.includes(ending)
    ? `${oneLine(name)} is a workbook, which is not supported yet. Save it as CSV UTF-8, then choose that file.`
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
