import { mayAdminister } from '../../../core/accounts/permissions.ts';
import type { OptOutView } from '../../../core/opt-outs/sealed-opt-outs.ts';
import { numberInCell } from '../../../core/texts/phone-format.ts';
import { refuseIf } from '../../answers/apology.ts';
import { clockOf } from '../../files/clock-of.ts';
import { handOverFile, handOverWrongRows } from '../../files/upload-file.ts';
import { typedIn, writeMetadata } from '../../forms/form-data.ts';
import { readListFields } from '../../forms/read-list-fields.ts';
import { message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import * as forms from '../../ui/limits/opt-out-forms.ts';
import { unseenNumber } from '../../ui/limits/opt-outs.ts';
import { listProblemSentence } from '../../ui/lists/list-problems.ts';
import { ROW_WORDS } from '../../ui/lists/words-in-files.ts';
import { nothingToSend } from '../../ui/lists/wrong-rows.ts';
import { EXPORT_BEGUN } from '../../ui/reports/history-export.ts';
import { TITLES } from '../../ui/views.ts';
import type { ClickHandler } from '../click.ts';
import { answeredWith, submitterOf } from '../submission.ts';

/** The form that opts many numbers out. Shows errors at their fields, or how many numbers were opted out. */
export const submitOptOutImport = answeredWith(
  { waiting: forms.importingView },
  async (deps, form, onProgress) => {
    const { values, metadata } = form;
    const { channel = '' } = metadata;
    const read = readListFields(values, metadata);
    if ('errors' in read) return read;
    const given = read.source;
    const field = given.kind === 'file' ? FIELDS.csvFile : FIELDS.recipients;
    const person = await submitterOf(deps, form);
    refuseIf(await deps.rights.optOutRefusal(person, channel));
    const source = given.kind === 'pasted' ? given : await deps.files.download(given.file);
    if (source.kind === 'problem') return { errors: { [field]: source.sentence } };
    const country = await deps.rights.countryIn(channel);
    const wish = { by: person.id, channel, reason: typedIn(values, FIELDS.reason) };
    const list = { source, ...(country && { country }), words: ROW_WORDS, wish, onProgress };
    const imported = await deps.core.optOuts.import(list);
    if (imported.kind === 'which_column') return { errors: { [field]: forms.NAME_THE_COLUMN } };
    if (imported.kind === 'problem') return { errors: { [field]: listProblemSentence(imported) } };
    const wrong = { list: given.kind === 'file' ? given.file.name : undefined, command: 'optouts' } as const;
    const file = await handOverWrongRows(deps, person.id, imported.wrongCsv, wrong);
    if (imported.kind === 'nothing')
      return { errors: { [field]: nothingToSend(imported, file ?? 'failed', 'imported') } };
    deps.log.info({ numbers: imported.numbers, changed: imported.changed }, 'opt-outs were imported');
    return { notice: forms.importedWords(imported, file) };
  },
);

export const importOptOuts: ClickHandler = async (deps, { person, channel, open, to }) => {
  await open(TITLES.optOutImport, async () => {
    refuseIf(await deps.rights.optOutRefusal(person, channel));
    return forms.optOutImportForm(writeMetadata({ channel, to }));
  });
};

/** **Export CSV**: all numbers, whole, to an admin's direct messages. If Slack does not take the file, a direct message says so. */
export const exportOptOuts: ClickHandler = async (deps, { person, answer }) => {
  await answer(EXPORT_BEGUN);
  // Loaded only if it is wanted.
  const { createCsv, inOrder } = await import('../../../core/lists/csv-format.ts');
  const clock = clockOf(await deps.access.timeZone(person.id));
  const columns = forms.optOutColumns(clock.resolvedOptions().timeZone);
  const csv = createCsv(Object.values(columns));
  let rows = 0;
  for await (const page of deps.core.optOuts.all()) {
    csv.add(page.map((optOut) => inOrder(columns, cellsOf(optOut, clock))));
    rows += page.length;
  }
  // The person may have lost the right meanwhile.
  if (!mayAdminister(await deps.access.again(person)))
    return void (await deps.replies.direct(person.id, await deps.rights.adminsOnly('optouts')));
  const file = {
    name: forms.OPT_OUTS_FILE,
    bytes: csv.bytes(),
    comment: forms.optOutsComment(rows),
  };
  if ((await handOverFile(deps, person.id, file)) === 'failed')
    await deps.replies.direct(person.id, message(forms.OPT_OUTS_NOT_EXPORTED));
};

function cellsOf(optOut: OptOutView, clock: Intl.DateTimeFormat) {
  const { e164, events } = optOut;
  const { by = '', at = 0, via = '', channel = '', reason = '' } = events.at(-1) ?? {};
  const phone = e164 === undefined ? unseenNumber(optOut) : numberInCell(e164);
  return { phone, optedOut: clock.format(at), by, via, channel, reason };
}
