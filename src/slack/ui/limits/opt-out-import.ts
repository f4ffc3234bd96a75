import type { ModalView } from '@slack/types';
import type { Imported } from '../../../core/opt-outs/import-opt-outs.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { LIST_ENDINGS } from '../lists/bulk-form.ts';
import { WRONG_ROWS_FILE, type WrongFile, wrongInClasses, wrongTotal } from '../lists/wrong-rows.ts';
import { field, fileInput, modal, textInput } from '../modal.ts';
import { noticeView, TITLES } from '../views.ts';
import { inLines, plural } from '../words.ts';

export function optOutImportForm(metadata: string): ModalView {
  return modal(VIEWS.optOutImport, { title: TITLES.optOutImport, submit: 'Import', metadata }, [
    field(FIELDS.recipients, 'Numbers', textInput({ multiline: true, placeholder: '+44 20 7946 0958' }), {
      hint: 'One per line, with + and the country code.',
      optional: true,
    }),
    field(FIELDS.csvFile, 'CSV file', fileInput(LIST_ENDINGS), {
      hint: '.csv, .tsv or .txt, up to 10 MB. Only the column of numbers is read.',
      optional: true,
    }),
    field(FIELDS.reason, 'Why', textInput({ placeholder: 'From our old system' }), {
      optional: true,
    }),
  ]);
}

/** Shown while an import runs; `done`: numbers so far. */
export function importingView(done = 0): ModalView {
  const far = done === 0 ? '' : ` ${plural(done, 'number')} so far.`;
  return noticeView(
    TITLES.optOutImport,
    `Importing…${far}\nYou can close this. The result comes anyway.\n` +
      'If Switchboard restarts meanwhile, import the list again. Nothing is counted twice.',
  );
}

/** The result of an import. mrkdwn. */
export function importedWords(
  { numbers, changed, wrong }: Imported & { kind: 'imported' },
  file: WrongFile | undefined,
): string {
  const before = numbers - changed;
  const skipped = wrongTotal(wrong);
  const where =
    file === 'delivered'
      ? `We sent you these rows as \`${WRONG_ROWS_FILE}\`.`
      : 'Slack did not take the file with these rows.';
  return inLines(
    `✅ *${plural(changed, 'number')} opted out.* Nobody here can text them from now on.`,
    before > 0 && `${plural(before, 'number')} had opted out before.`,
    skipped > 0 && `${plural(skipped, 'row')} skipped: ${wrongInClasses(wrong)}. ${where}`,
  );
}

/** An import failed, and nobody knows how far it came. mrkdwn. */
export const IMPORT_BROKE_OFF =
  '⛔ *The import broke off.* What was imported stays. Import the list again for the rest.';

/** The error at the field if several columns may hold the numbers. Plain text. */
export const NAME_THE_COLUMN =
  'Which column has the phone numbers? Name it “phone” in the first row, and import the list again.';

export const OPT_OUTS_FILE = 'opt-outs.csv';

/** The file's columns. The first one makes it a list that can be imported. Times are in this zone. */
export function optOutColumns(timeZone: string): string[] {
  return ['phone', `opted out (${timeZone})`, 'by', 'how', 'channel', 'reason'];
}

export function optOutsComment(rows: number): string {
  return `${plural(rows, 'opted-out number')} of this workspace. Keep the file in a safe place.`;
}

/** We could not make or deliver the file. mrkdwn. */
export const OPT_OUTS_NOT_EXPORTED =
  '⛔ *The export broke off.* Nothing was changed. Type `/sms optouts`, then press *Export CSV* again.';
