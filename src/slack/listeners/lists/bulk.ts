import type { ModalView } from '@slack/types';
import type { Person } from '../../../core/accounts/permissions.ts';
import type { JobPreview } from '../../../core/jobs/job-preview.ts';
import { type JobView, wasConfirmed } from '../../../core/jobs/job-view.ts';
import type { ListProblem } from '../../../core/lists/list.ts';
import type { ReplyTo } from '../../answers/replies.ts';
import { handOverWrongRows } from '../../files/upload-file.ts';
import { answerTo, writeMetadata } from '../../forms/form-data.ts';
import { type ListFields, readListFields } from '../../forms/read-list-fields.ts';
import { botNotInChannel } from '../../ui/access-refusals.ts';
import type { Message } from '../../ui/blocks.ts';
import { NOT_CHANGED_YET } from '../../ui/draft-refusals.ts';
import { mayBeOld } from '../../ui/expired-draft.ts';
import { FIELDS } from '../../ui/ids.ts';
import { bulkDraftMessage } from '../../ui/lists/bulk-draft.ts';
import { type BulkFormFacts, bulkForm, CHOOSE_COLUMN, WHICH_COLUMN } from '../../ui/lists/bulk-form.ts';
import { checkedWithoutForm } from '../../ui/lists/draft-answers.ts';
import { listProblemSentence } from '../../ui/lists/list-problems.ts';
import { ROW_WORDS } from '../../ui/lists/words-in-files.ts';
import { nothingToSend } from '../../ui/lists/wrong-rows.ts';
import { cut, oneLine } from '../../ui/safe-text.ts';
import { tooLateMessage } from '../../ui/texts/outcome-lines.ts';
import { checkingListView, previewIsIn, TITLES } from '../../ui/views.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';
import { answeredWith, type FormResult, type Submission, submitterOf } from '../submission.ts';

/** The list form: shows each error at its field, or the preview where the person asked for the form. */
export const submitBulk = answeredWith({ waiting, again }, async (deps, form, onProgress) => {
  const { body, view, values, metadata } = form;
  const read = readListFields(values, metadata);
  if ('errors' in read) return read;
  const to = answerTo(metadata.to, read.channel);
  const person = await submitterOf(deps, form);
  // If Slack delivers a submission again, its trigger is the same. A person who submits again gets a new one.
  const isFirst = await deps.core.firstTime(`view:${view.id}:${body.trigger_id}`);
  const refused = isFirst && (await draftList(deps, form, read, { person, to, onProgress }));
  if (refused) return refused;
  if (metadata.to.channel !== '') return { closes: true };
  return { view: previewIsIn(TITLES.bulkForm, read.channel) };
});

function waiting(rows: number, { values, metadata }: Submission): ModalView {
  const read = readListFields(values, metadata);
  return checkingListView('errors' in read ? undefined : fileOf(read)?.name, rows);
}

async function again(_deps: SlackDeps, form: Submission, notice: string): Promise<ModalView | undefined> {
  const read = readListFields(form.values, form.metadata);
  return 'errors' in read ? undefined : formAgain(form, read, { notice });
}

/** The form once more, with what was typed and the file that was given. */
function formAgain(
  { view, metadata: { to, replaces } }: Submission,
  read: ListFields,
  more: Pick<BulkFormFacts, 'channels' | 'columns' | 'notice' | 'refusal'>,
): ModalView {
  const { source, channel, template, phoneColumn } = read;
  const file = fileOf(read);
  const kept = { to, replaces, file, phoneColumn: file && phoneColumn };
  return bulkForm({
    ...more,
    recipients: source.kind === 'pasted' ? source.text : undefined,
    message: template,
    file,
    hash: view.hash,
    editing: replaces !== undefined,
    metadata: writeMetadata({ ...kept, channel: more.channels?.length ? undefined : channel }),
  });
}

function fileOf({ source }: ListFields): { id: string; name: string } | undefined {
  return source.kind === 'file' ? { id: source.file.id, name: oneLine(source.file.name) } : undefined;
}

/** The longest error at a field, in UTF-16 units: it may name many columns. */
const SENTENCE_MAX = 1000;
const BLOCKS: { [field in ListProblem['field']]: string } = {
  recipients: FIELDS.recipients,
  file: FIELDS.csvFile,
  message: FIELDS.message,
};

/**
 * Fetches and checks the list, writes the draft and shows its preview to the person, in the place of the old draft. Returns
 * why there is no preview.
 */
async function draftList(
  deps: SlackDeps,
  form: Submission,
  read: ListFields,
  { person, to, onProgress }: { person: Person; to: ReplyTo; onProgress(rows: number): void },
): Promise<FormResult | undefined> {
  const { core, conversations } = deps;
  const { channel, source: given, template, phoneColumn } = read;
  const { replaces, channel: chosenBefore } = form.metadata;
  const wrongAt = (block: string, sentence: string): FormResult => ({
    errors: { [block]: sentence },
    elsewhere: checkedWithoutForm(sentence),
  });
  const wrong = (sentence: string) =>
    wrongAt(given.kind === 'file' ? FIELDS.csvFile : FIELDS.recipients, sentence);
  const refused = async (refusal: Message, from = form): Promise<FormResult> => {
    const channels = chosenBefore === undefined ? await conversations.sendableBy(person) : [];
    return { view: formAgain(from, read, { refusal: refusal.text, channels }), elsewhere: refusal };
  };

  const usable = await deps.rights.usableLink(person, channel);
  if ('refusal' in usable) return refused(usable.refusal);
  const away = await deps.rights.membershipRefusal(person, channel);
  if (away) return refused(away);
  if (!(await conversations.botIsMember(channel))) return wrong(botNotInChannel('Preview'));
  const source = given.kind === 'pasted' ? given : await deps.files.download(given.file);
  if (source.kind === 'problem') return wrong(source.sentence);
  const drafted = await core.jobs.draft({
    source,
    ...(given.kind === 'file' && { fileId: given.file.id }),
    channel,
    person,
    template,
    ...(phoneColumn === undefined ? {} : { phoneColumn }),
    words: ROW_WORDS,
    replaces,
    reply: to,
    onProgress,
  });
  const list = given.kind === 'file' ? given.file.name : undefined;
  const handOver = (bytes: Uint8Array | undefined) =>
    handOverWrongRows(deps, person.id, bytes, { list, command: 'bulk' });
  switch (drafted.kind) {
    case 'draft': {
      const { preview, wrongCsv } = drafted;
      deps.log.info({ send: preview.view.id }, 'a draft was made');
      const old = replaces === undefined ? undefined : await replaceDraft(deps, person, preview, replaces);
      if (old === 'no_balance') return refused(NOT_CHANGED_YET);
      if (old && wasConfirmed(old)) return { notice: tooLateMessage(old).text };
      // Whoever has read that the old list may have been sent can go on from here: the form replaces nothing any more.
      const fresh = { ...form, metadata: { ...form.metadata, replaces: undefined } };
      if (old) return refused(tooLateMessage(old), fresh);
      const wrongFile = await handOver(wrongCsv);
      const replace = replaces !== undefined;
      await deps.replies.toPerson(to, bulkDraftMessage({ preview, wrongFile }), { replace });
      return undefined;
    }
    case 'which_column': {
      // If the form asked this before, it would look as if nothing had happened.
      const askedBefore = form.view.blocks.some(({ block_id }) => block_id === FIELDS.phoneColumn);
      const notice = askedBefore ? CHOOSE_COLUMN : undefined;
      const view = formAgain(form, read, { columns: drafted.columns, notice });
      return { view, elsewhere: checkedWithoutForm(WHICH_COLUMN) };
    }
    case 'problem':
      return wrongAt(BLOCKS[drafted.field], cut(listProblemSentence(drafted), SENTENCE_MAX));
    case 'nothing': {
      const file = await handOver(drafted.wrongCsv);
      return wrong(cut(nothingToSend(drafted, file ?? 'failed'), SENTENCE_MAX));
    }
    default:
      return refused(await deps.rights.refusalMessage(person, drafted, { channel }));
  }
}

/**
 * Withdraws the old draft, which the new one replaces. If the old list was sent while the form was open, or may have been,
 * the new one would be a second job: then withdraws the new draft, and returns the old list. `no_balance`: nobody can tell.
 */
async function replaceDraft(
  { core }: SlackDeps,
  person: Person,
  { view }: JobPreview,
  replaces: string,
): Promise<JobView | 'no_balance' | undefined> {
  const old = await core.jobs.supersede(replaces, person);
  const mayBeSent = old.kind === 'too_late' && (wasConfirmed(old.view) || mayBeOld(old.view));
  if (old.kind !== 'no_balance' && !mayBeSent) return undefined;
  await core.jobs.withdraw(view.id, person);
  return old.kind === 'too_late' ? old.view : 'no_balance';
}
