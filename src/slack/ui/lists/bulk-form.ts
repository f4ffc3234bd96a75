import type { KnownBlock, ModalView } from '@slack/types';
import type { ColumnQuestion } from '../../../core/lists/list.ts';
import { context, SECTION_MAX } from '../blocks.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { field, fileInput, MOST_OPTIONS, modal, option, previewNote, select, textInput } from '../modal.ts';
import { payerBlocks } from '../payer.ts';
import { cut, oneLine, quoted } from '../safe-text.ts';
import type { SendFormFacts } from '../texts/send-form.ts';
import { noticeBlock, TITLES } from '../views.ts';

export const LIST_ENDINGS = ['csv', 'tsv', 'txt'];
export const PASTE_OR_UPLOAD = 'Paste a list *or* upload a file.';
export const WHICH_COLUMN = 'Which column has the phone numbers?';
/** The person submitted the same list without choosing a column. Plain text. */
export const CHOOSE_COLUMN = 'Please choose the column with the phone numbers below, or give another list.';
/** How many characters of a column's first cell we show beside its name. */
const SAMPLE_MAX = 30;

export interface BulkFormFacts extends Omit<SendFormFacts, 'recipient'> {
  recipients?: string | undefined;
  /** The file that we use again, unless the person gives another list. */
  file?: { name: string } | undefined;
  /** The columns that may have the numbers, if we can't tell which one has: the person picks. */
  columns?: ColumnQuestion['columns'];
  /** Why we can’t use what the person submitted. mrkdwn. */
  refusal?: string;
  /** Of the view in whose place the form comes again: the file's field then gets a fresh id. */
  hash?: string;
}

export function bulkForm(facts: BulkFormFacts): ModalView {
  const { recipients, message, channels = [], file, columns, notice, refusal, payer, metadata } = facts;
  const { hash, editing = false } = facts;
  const title = editing ? TITLES.editBulkForm : TITLES.bulkForm;
  return modal(VIEWS.bulkForm, { title, submit: 'Preview', metadata }, [
    refusal && cut(refusal, SECTION_MAX),
    ...payerBlocks(payer, channels),
    notice && noticeBlock(notice),
    PASTE_OR_UPLOAD,
    field(
      FIELDS.recipients,
      'Recipients',
      textInput({ multiline: true, placeholder: '+44 20 7946 0958, Ana', initial: recipients }),
      {
        hint: 'One per line: number, name, city. With a header row you can write {name}. Without it, {2} is the second column.',
        optional: true,
      },
    ),
    field(FIELDS.csvFile, 'CSV file', fileInput(LIST_ENDINGS), {
      hint: '.csv, .tsv or .txt, up to 10 MB. The first row may name the columns.',
      hash,
      optional: true,
    }),
    file && context(`We use ${quoted(file.name)}, unless you paste recipients or choose another file.`),
    columns && columnField(columns),
    field(
      FIELDS.message,
      'Message',
      textInput({ multiline: true, placeholder: 'Hello {name|there}', initial: message }),
      {
        hint:
          '{name} is filled in from the column “name”; {name|there} says “there” if the name is empty. ' +
          'Leave this empty if a column called message has each row’s own text. To show a brace, type it twice: {{ or }}.',
        optional: true,
      },
    ),
    previewNote(editing),
  ]);
}

function columnField(columns: ColumnQuestion['columns']): KnownBlock {
  const options = columns.slice(0, MOST_OPTIONS).map(({ index, name, sample }) => {
    const first = oneLine(sample, SAMPLE_MAX);
    return option(String(index), oneLine(name) || `Column ${index + 1}`, first === '' ? '' : ` · ${first}`);
  });
  return field(FIELDS.phoneColumn, WHICH_COLUMN, select({ options }, { placeholder: 'Choose the column' }), {
    hint: 'The first value is shown beside each column. If you give another list, leave this empty.',
    optional: true,
  });
}

/** What is wrong at the list's fields: plain text. */
export const LIST_FIELD_ERRORS = {
  two: 'Give one list only: paste it, or choose a file.',
  none: 'Paste a list, one number per line, or choose a CSV file below.',
} as const;
