import type { ModalView } from '@slack/types';
import type { Imported } from '../../../core/opt-outs/import-opt-outs.ts';
import { REASON_MAX } from '../../../core/opt-outs/opt-outs.ts';
import type { OptOutView } from '../../../core/opt-outs/sealed-opt-outs.ts';
import type { ReadNumber } from '../../../core/texts/phone.ts';
import { describeNumber, formatNumber } from '../../../core/texts/phone-format.ts';
import { context } from '../blocks.ts';
import { FIELDS, VIEWS } from '../ids.ts';
import { LIST_ENDINGS, PASTE_OR_UPLOAD } from '../lists/bulk-form.ts';
import { type WrongFile, whereWrongRowsAre, wrongInClasses, wrongTotal } from '../lists/wrong-rows.ts';
import { type FieldElement, field, fileInput, modal, option, select, textInput } from '../modal.ts';
import { noticeView, TITLES } from '../views.ts';
import { inLines, plural } from '../words.ts';
import { eventWords, numberWithCountry } from './opt-outs.ts';

/** For a message that holds no number. mrkdwn. */
export const NO_NUMBER_IN_MESSAGE =
  '⛔ No phone number was found in this message. Nothing was changed.\nYou can type `/sms optout` and the number.';

function reasonInput(placeholder?: string): FieldElement {
  return textInput({ placeholder, most: REASON_MAX });
}

/** The form that opts a number in again, and asks why. */
export function optInForm(facts: { number: ReadNumber; found: OptOutView; metadata: string }): ModalView {
  const { number, found, metadata } = facts;
  const last = found.events.at(-1);
  const said = `*${numberWithCountry(number)}* is opted out${last ? `: by ${eventWords(last)}` : ''}.`;
  return modal(VIEWS.optInForm, { title: TITLES.optInForm, submit: 'Allow texts', metadata }, [
    said,
    field(FIELDS.number, 'Number', textInput({ initial: formatNumber(number.e164) })),
    field(FIELDS.reason, 'Why', reasonInput('They asked for texts again'), {
      hint: 'Kept with your name: somebody may ask who allowed it.',
    }),
  ]);
}

/** The form that opts out one of the numbers in a message. There is at least one. */
export function optOutForm({ numbers, metadata }: { numbers: ReadNumber[]; metadata: string }): ModalView {
  const [first] = numbers;
  const options = numbers.map((number) => option(number.e164, describeNumber(number)));
  return modal(VIEWS.optOutForm, { title: TITLES.optOutForm, submit: 'Stop texts', metadata }, [
    field(
      FIELDS.number,
      'Number',
      numbers.length === 1
        ? textInput({ initial: first && formatNumber(first.e164) })
        : select({ options }, { placeholder: 'Which number?' }),
    ),
    field(FIELDS.reason, 'Why', reasonInput(), { optional: true }),
    context('Nobody in this workspace can text the number then. Texts that still wait are not sent.'),
  ]);
}

export function optOutImportForm(metadata: string): ModalView {
  return modal(VIEWS.optOutImport, { title: TITLES.optOutImport, submit: 'Import', metadata }, [
    PASTE_OR_UPLOAD,
    field(FIELDS.recipients, 'Numbers', textInput({ multiline: true, placeholder: '+44 20 7946 0958' }), {
      hint: 'One per line, with + and the country code.',
      optional: true,
    }),
    field(FIELDS.csvFile, 'CSV file', fileInput(LIST_ENDINGS), {
      hint: '.csv, .tsv or .txt, up to 10 MB. Only the column of numbers is read.',
      optional: true,
    }),
    field(FIELDS.reason, 'Why', reasonInput('From our old system'), { optional: true }),
  ]);
}

/** Shown while an import runs. `done`: how many numbers it has imported. */
export function importingView(done = 0): ModalView {
  const far = done === 0 ? '' : ` ${plural(done, 'number')} so far.`;
  return noticeView(
    TITLES.optOutImport,
    `Importing…${far}\nYou can close this. The result comes anyway.\n` +
      'If the import breaks off, import the list again. Nothing is counted twice.',
  );
}

/** The result of an import. mrkdwn. */
export function importedWords(
  { numbers, changed, wrong }: Imported & { kind: 'imported' },
  file: WrongFile | undefined,
): string {
  const before = numbers - changed;
  const skipped = wrongTotal(wrong);
  return inLines(
    `✅ *${plural(changed, 'number')} opted out.* Nobody here can text ${changed === 1 ? 'it' : 'them'} from now on.`,
    before > 0 && `${plural(before, 'number')} ${before === 1 ? 'was' : 'were'} opted out already.`,
    skipped > 0 &&
      `${plural(skipped, 'row')} skipped: ${wrongInClasses(wrong)}. ${whereWrongRowsAre(file ?? 'failed', 'these rows')}`,
  );
}

/** The error at the field if several columns may hold the numbers. Plain text. */
export const NAME_THE_COLUMN =
  'Which column has the phone numbers? Name it “phone” in the first row, and import the list again.';

export const OPT_OUTS_FILE = 'opt-outs.csv';

/** The file's columns, in order. The first one makes it a list that can be imported. Times are in this zone. */
export function optOutColumns(timeZone: string) {
  return {
    phone: 'phone',
    optedOut: `opted out (${timeZone})`,
    by: 'by',
    via: 'how',
    channel: 'channel',
    reason: 'reason',
  };
}

export function optOutsComment(rows: number): string {
  return `${plural(rows, 'opted-out number')} of this workspace. Keep the file in a safe place.`;
}

/** We could not make or deliver the file. mrkdwn. */
export const OPT_OUTS_NOT_EXPORTED =
  '⛔ *The export broke off.* Nothing was changed. Type `/sms optouts`, then press *Export CSV* again.';
