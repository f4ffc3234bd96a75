import type { Person } from '../../../core/accounts/permissions.ts';
import { draftList, type ListDrafted } from '../../forms/draft-list.ts';
import { answerTo, writeMetadata } from '../../forms/form-metadata.ts';
import { createListProgress } from '../../forms/list-progress.ts';
import { readListFields } from '../../forms/read-list-fields.ts';
import { type Message, message } from '../../ui/blocks.ts';
import { FIELDS } from '../../ui/ids.ts';
import { type BulkFormFacts, bulkForm, CHOOSE_COLUMN, WHICH_COLUMN } from '../../ui/lists/bulk-form.ts';
import { checkedWithoutForm, PREVIEW_SHOWN } from '../../ui/lists/draft-answers.ts';
import { oneLine } from '../../ui/safe-text.ts';
import { checkingListView, previewIsIn, TITLES } from '../../ui/views.ts';
import { answerInTime, type FormHandler, type FormResult, inWords } from './submission.ts';

/** The list form: each error is shown at its field; else the preview appears where the form was asked for. */
export const submitBulk: FormHandler = async (deps, form) => {
  const { body, view, values, metadata, showErrors } = form;
  const { to: asked, replaces } = metadata;
  const read = readListFields(values, metadata);
  if ('errors' in read) return showErrors(read.errors);
  const { source, channel, template, phoneColumn } = read;
  const to = answerTo(asked, channel);
  const file = source.kind === 'file' ? { id: source.file.id, name: oneLine(source.file.name) } : undefined;
  const progress = createListProgress(deps.web, (rows) => checkingListView(file?.name, rows));
  let drafted: ListDrafted | undefined;

  /** The form once more, with what was typed and the file that was given. */
  const again = (more: Pick<BulkFormFacts, 'channels' | 'columns' | 'notice' | 'refusal'>) =>
    bulkForm({
      ...more,
      recipients: source.kind === 'pasted' ? source.text : undefined,
      message: template,
      file,
      fileFieldId: `${FIELDS.csvFile}_${view.hash}`,
      editing: replaces !== undefined,
      metadata: writeMetadata({
        to: asked,
        channel: more.channels?.length ? undefined : channel,
        replaces,
        file,
        phoneColumn: file && phoneColumn,
      }),
    });

  /** The channels to choose from once more, where the form had asked for one. */
  const others = async (person: Person) =>
    metadata.channel === undefined ? deps.conversations.sendableBy(person) : [];

  const work = async (person: Person): Promise<FormResult> => {
    const shown: FormResult =
      asked.channel === '' ? { view: previewIsIn(TITLES.bulkForm, channel) } : { closes: PREVIEW_SHOWN };
    // If Slack delivers a submission again, its trigger is the same. A person who submits again gets a new one.
    if (!(await deps.core.firstTime(`view:${view.id}:${body.trigger_id}`))) return shown;
    drafted = await draftList(deps, { person, fields: read, to, replaces, onProgress: progress.note });
    switch (drafted.kind) {
      case 'shown':
        return shown;
      case 'errors':
        return drafted;
      case 'which_column': {
        // The form was asking already, and would look as if nothing had happened.
        const asked = view.blocks.some(({ block_id }) => block_id === FIELDS.phoneColumn);
        return { view: again({ columns: drafted.columns, ...(asked && { notice: CHOOSE_COLUMN }) }) };
      }
      case 'refused':
        return { view: again({ refusal: drafted.message.text, channels: await others(person) }) };
      case 'too_late':
        return { notice: drafted.message.text };
    }
  };

  await answerInTime(deps, form, work, {
    waiting: checkingListView(file?.name),
    again: async (notice) => again({ notice }),
    follow: progress.follow,
    async tellElsewhere(late) {
      const say = (words: Message) => deps.replies.toPerson(to, words);
      if (drafted && 'message' in drafted) return say(drafted.message);
      if (drafted?.kind === 'which_column') return say(checkedWithoutForm(WHICH_COLUMN));
      if ('errors' in late) return say(checkedWithoutForm(inWords(late.errors)));
      if ('notice' in late) return say(message(late.notice));
    },
  });
};
