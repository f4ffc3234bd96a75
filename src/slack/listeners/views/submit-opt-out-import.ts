import { countryOf } from '../../../core/accounts/links.ts';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { ListSource } from '../../../core/lists/list.ts';
import { handOverFile } from '../../files/upload-file.ts';
import { createListProgress } from '../../forms/list-progress.ts';
import { readListFields } from '../../forms/read-list-fields.ts';
import { typedIn } from '../../forms/view-values.ts';
import { optOutRefusal } from '../../people/opt-out-right.ts';
import { message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import {
  IMPORT_BROKE_OFF,
  importedWords,
  importingView,
  NAME_THE_COLUMN,
} from '../../ui/limits/opt-out-import.ts';
import { ROW_WORDS, wrongRowsComment } from '../../ui/lists/file-words.ts';
import { listProblemSentence } from '../../ui/lists/list-problems.ts';
import { nothingToSend, WRONG_ROWS_FILE } from '../../ui/lists/wrong-rows.ts';
import { TITLES } from '../../ui/views.ts';
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
    const source = await sourceOf(given);
    if ('sentence' in source) return { errors: { [field]: source.sentence } };
    const linked = await deps.core.links.find(channel);
    const country = linked && countryOf(linked.link);
    const imported = await deps.core.optOuts.import({
      source,
      ...(country && { country }),
      words: ROW_WORDS,
      wish: { by: person.id, channel, reason },
      onProgress: progress.note,
    });
    if (imported.kind === 'which_column') return { errors: { [field]: NAME_THE_COLUMN } };
    if (imported.kind === 'problem') return { errors: { [field]: listProblemSentence(imported) } };
    const { wrongCsv: bytes } = imported;
    const comment = wrongRowsComment(given.kind === 'file' ? given.file.name : undefined, 'optouts');
    const file = bytes && (await handOverFile(deps, person.id, { name: WRONG_ROWS_FILE, bytes, comment }));
    if (imported.kind === 'nothing') {
      return { errors: { [field]: nothingToSend(imported, file ?? 'failed') } };
    }
    deps.log.info({ numbers: imported.numbers, changed: imported.changed }, 'opt-outs were imported');
    told = importedWords(imported, file);
    return { notice: told };
  }

  async function sourceOf(source: typeof given): Promise<ListSource | { sentence: string }> {
    if (source.kind === 'pasted') return source;
    const got = await deps.files.download(source.file);
    return got.kind === 'problem' ? got : { kind: 'file', name: got.name, bytes: got.bytes };
  }

  await answerInTime(deps, form, work, {
    title: TITLES.optOutImport,
    waiting: importingView(),
    follow: progress.follow,
    async whenClosed(late) {
      await deps.replies.toPerson(to, message('errors' in late ? inWords(late.errors) : told));
    },
  });
};
