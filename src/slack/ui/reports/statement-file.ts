import type { DifferenceKind } from '../../../core/accounts/statement.ts';

/** The words in a statement's file: plain text, for spreadsheets. */

export const STATEMENT_FILE = 'statement.csv';

export const STATEMENT_COLUMNS = [
  ...['line', 'channel id', 'person id', 'messages', 'from (UTC)', 'to (UTC)', 'credits'],
] as const;

export const STATEMENT_LINES = {
  opening: 'opening balance',
  messages: 'used by messages',
  others: 'used by messages of other workspaces',
  unexplained: 'not explained',
  closing: 'closing balance',
} as const;

export const DIFFERENCE_NAMES: { [kind in DifferenceKind]: string } = {
  unknown: 'used by unknown messages, by their evidence',
  unclear: 'not explained: unknown messages or use elsewhere',
  elsewhere: 'used elsewhere',
  topped_up: 'topped up',
};

/** The picture of the balance that comes with it. */
export const PICTURE_FILE = 'balance.png';
