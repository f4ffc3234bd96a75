import type { Person } from '../../../core/accounts/permissions.ts';
import { createListProgress } from '../../forms/list-progress.ts';
import { readListFields } from '../../forms/read-list-fields.ts';
import { typedIn } from '../../forms/view-values.ts';
import { handOverWrongRows } from '../../forms/wrong-rows-file.ts';
import { optOutRefusal } from '../../people/opt-out-right.ts';
import { countryIn } from '../../people/usable-link.ts';
import { message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  IMPORT_BROKE_OFF,
  importedWords,
  importingView,
  NAME_THE_COLUMN,
} from '../../ui/limits/opt-out-forms.ts';
import { ROW_WORDS } from '../../ui/lists/file-words.ts';
import { listProblemSentence } from '../../ui/lists/list-problems.ts';
import { nothingToSend } from '../../ui/lists/wrong-rows.ts';
import { escaped } from '../../ui/safe-text.ts';
import { answerInTime, type FormHandler, type FormResult, inWords } from './submission.ts';

/** The form that opts many numbers out. Errors are shown at their fields; else it shows how many were opted out. */
export const submitOptOutImport: FormHandler = async (deps, form) => {
  const { values, metadata, showErrors } = form;
  const { channel = '', to } = metadata;
  const read = readListFields(values, metadata);
  if ('errors' in read) return showErrors(read.errors);
  const given = read.source;
  const field = given.kind === 'file' ? FIELDS.csvFile : FIELDS.recipients;
  const reason = typedIn(values, FIELDS.reason);
  let told: string = IMPORT_BROKE_OFF;
  const progress = createListProgress(deps.web, importingView);

  async function work(person: Person): Promise<FormResult> {
    const refusal = await optOutRefusal(deps, person, channel);
    if (refusal) {
      told = refusal.text;
      return { notice: told };
    }
    const source = given.kind === 'pasted' ? given : await deps.files.download(given.file);
    if (source.kind === 'problem') return { errors: { [field]: source.sentence } };
    const country = await countryIn(deps, channel);
    const imported = await deps.core.optOuts.import({
      source,
      ...(country && { country }),
      words: ROW_WORDS,
      wish: { by: person.id, channel, reason },
      onProgress: progress.note,
    });
    if (imported.kind === 'which_column') return { errors: { [field]: NAME_THE_COLUMN } };
    if (imported.kind === 'problem') return { errors: { [field]: listProblemSentence(imported) } };
    const wrong = { given, bytes: imported.wrongCsv, command: 'optouts' } as const;
    const file = await handOverWrongRows(deps, person.id, wrong);
    if (imported.kind === 'nothing')
      return { errors: { [field]: nothingToSend(imported, file ?? 'failed', 'imported') } };
    deps.log.info({ numbers: imported.numbers, changed: imported.changed }, 'opt-outs were imported');
    told = importedWords(imported, file);
    return { notice: told };
  }

  await answerInTime(deps, form, work, {
    waiting: importingView(),
    follow: progress.follow,
    async tellElsewhere(late) {
      await deps.replies.toPerson(to, message('errors' in late ? escaped(inWords(late.errors)) : told));
    },
  });
};
