import { describe, expect, test } from 'vitest';
import { FIELDS, VIEWS } from '../../../src/slack/ui/ids.ts';
import { bulkForm } from '../../../src/slack/ui/lists/bulk-form.ts';
import { FILE_SENTENCES, wrongEnding } from '../../../src/slack/ui/lists/list-problems.ts';
import { checkingListView } from '../../../src/slack/ui/views.ts';
import { expectFineView, fieldOf, wordsOf } from './samples.ts';

const metadata = '{"channel":"C1"}';

function shown(fields: Partial<Parameters<typeof bulkForm>[0]> = {}) {
  const view = bulkForm({ metadata, ...fields });
  expectFineView(view);
  return { view, words: wordsOf(view.blocks as Parameters<typeof wordsOf>[0]) };
}

const labels = (view: Parameters<typeof fieldOf>[0]) =>
  view.blocks.flatMap((block) => ('label' in block ? [(block.label as { text: string }).text] : []));

describe('the form for a list', () => {
  test('has its three fields, none of which is required', () => {
    const { view } = shown();
    expect(view).toMatchObject({ callback_id: VIEWS.bulkForm, private_metadata: metadata });
    expect(view.submit?.text).toBe('Preview');
    expect(labels(view)).toEqual(['Recipients', 'CSV file', 'Message']);
    for (const id of [FIELDS.recipients, FIELDS.csvFile, FIELDS.message]) {
      expect(fieldOf(view, id)).toMatchObject({ optional: true });
    }
    expect(fieldOf(view, FIELDS.recipients)?.element).toMatchObject({ multiline: true });
    expect(fieldOf(view, FIELDS.csvFile)?.element).toMatchObject({
      filetypes: ['csv', 'tsv', 'txt'],
      max_files: 1,
    });
  });

  test('explains columns, fallbacks and rows with their own text', () => {
    const { words } = shown();
    for (const part of [
      'One per line',
      'Paste a list *or* upload a file.',
      'Without it, {2} is the second column',
      '{name|there}',
      'To show a brace, type it twice: {{ or }}',
      'a column called message',
    ]) {
      expect(words).toContain(part);
    }
  });

  test('asks for the channel if there is a choice', () => {
    const { view } = shown({ channels: [{ id: 'C1', name: 'sales' }] });
    expect(labels(view)).toEqual(['Channel', 'Recipients', 'CSV file', 'Message']);
    expect(fieldOf(view, FIELDS.channel)?.element).toMatchObject({ initial_option: { value: 'C1' } });
  });

  test('asks for the column, with its first value, and keeps what was given', () => {
    const { view, words } = shown({
      recipients: '+44…, Ana',
      message: 'Hello {name}',
      file: { name: 'list.csv' },
      columns: [
        { index: 0, name: 'office', sample: '+44 20 7946 0958' },
        { index: 3, name: '', sample: '' },
      ],
      notice: 'Which one?',
      hash: '2',
    });
    expect(labels(view)).toEqual([
      'Recipients',
      'CSV file',
      'Which column has the phone numbers?',
      'Message',
    ]);
    expect(fieldOf(view, FIELDS.phoneColumn)?.element).toMatchObject({
      options: [
        { value: '0', text: { text: 'office · +44 20 7946 0958' } },
        { value: '3', text: { text: 'Column 4' } },
      ],
    });
    expect(fieldOf(view, FIELDS.recipients)?.element).toMatchObject({ initial_value: '+44…, Ana' });
    expect(fieldOf(view, FIELDS.message)?.element).toMatchObject({ initial_value: 'Hello {name}' });
    expect(fieldOf(view, FIELDS.csvFile)?.element).toMatchObject({ action_id: 'csv_file_2' });
    expect(words).toContain('We use “list.csv”, unless you paste recipients or choose another file.');
    expect(words).toContain('Which one?');
  });

  test('says that editing replaces the draft', () => {
    const { view, words } = shown({ editing: true });
    expect(view.title.text).toBe('Edit the list');
    expect(words).toContain('replaces your draft');
  });
});

test('the view that waits says how far it is', () => {
  const wordsIn = (view: ReturnType<typeof checkingListView>) =>
    wordsOf(view.blocks as Parameters<typeof wordsOf>[0]);
  expect(wordsIn(checkingListView('list.csv'))).toContain('Checking “list.csv”…\n');
  expect(wordsIn(checkingListView(undefined, 41_000))).toContain(
    'Checking the list… 41,000 rows read so far.',
  );
});

test('files of another kind are refused with what to do', () => {
  expect(wrongEnding('list.xlsx', 'xlsx')).toBe(
    'list.xlsx is a spreadsheet file, which isn’t supported yet. Save it as CSV UTF-8, then choose that file.',
  );
  expect(wrongEnding('photo.png', 'png')).toContain('must end in .csv, .tsv or .txt');
  expect(FILE_SENTENCES.tooLarge).toContain('at most 10 MB');
});
