import { expect, it } from 'vitest';
import { listIn, readMessageOf } from '../../../src/slack/listeners/receive-shortcut.ts';

const list = { id: 'F1', name: 'Guests.CSV', mimetype: 'text/csv', mode: 'snippet' };

it.each([
  ['a list', [list], { file: { id: 'F1', name: 'Guests.CSV' } }],
  [
    'a deleted file beside it',
    [{ id: 'F0', mode: 'tombstone' }, list],
    { file: { id: 'F1', name: 'Guests.CSV' } },
  ],
  ['a file named by its id only', [{ id: 'F2' }], { file: { id: 'F2', name: 'the message’s file' } }],
  ['a deleted file only', [{ id: 'F0', mode: 'tombstone' }], { notice: expect.stringContaining('no file') }],
  ['a file without an ending', [{ id: 'F3', name: 'list' }], { notice: expect.stringContaining('.csv') }],
  ['no list of files', 'junk', { notice: expect.stringContaining('no file') }],
  ['junk in the files', [null, {}], { notice: expect.stringContaining('no file') }],
])('%s', (_, files, found) => {
  expect(listIn(readMessageOf({ files }).files)).toEqual(found);
});

it.each([null, undefined, 'text', 7, { text: 7 }, { text: null, files: {} }])(
  '%j has no words',
  (message) => {
    expect(readMessageOf(message)).toEqual({ text: '', files: [] });
  },
);
