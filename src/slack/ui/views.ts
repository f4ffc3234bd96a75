import { isDeepStrictEqual } from 'node:util';
import type { KnownBlock, ModalView, View } from '@slack/types';
import { type Message, message, plain, SECTION_MAX } from './blocks.ts';
import { VIEWS } from './ids.ts';
import { modal } from './modal.ts';
import { cut, escaped, quoted } from './safe-text.ts';
import { count } from './words.ts';

/** The title of every form, at most 24 characters: docs.slack.dev/reference/views. */
export const TITLES = {
  sendForm: 'Write a text',
  editForm: 'Edit the text',
  bulkForm: 'Text a list',
  editBulkForm: 'Edit the list',
  checkingList: 'Checking the list…',
  linkForm: 'Link a channel',
  addKeyForm: 'Add a key',
  settingsForm: 'Settings',
  limitsForm: 'Limits',
  replaceKeyForm: 'Replace key',
  removeInstanceForm: 'Remove instance',
  checkingKey: 'Checking the key…',
  refusalCheck: 'Refused lists',
  historyDetails: 'Details',
  historyFilter: 'Filter',
  statement: 'Statement',
  optOutForm: 'Stop texting a number',
  optInForm: 'Allow texts again',
  optOutImport: 'Import opt-outs',
  approval: 'Approval',
  sorry: 'Sorry',
} as const;

/** A view that only says something. `text` is mrkdwn: what people wrote must be escaped in it. */
export function noticeView(title: string, text: string): ModalView {
  return modal(VIEWS.notice, { title }, [cut(text, SECTION_MAX)]);
}

/**
 * The answer to a form, for a person who could not read it there: they closed it, or Slack failed. `shown`: the view
 * that would have replaced the form, or the errors at its fields. A view with fields asks for more: nothing is saved.
 */
export function lateAnswer(form: { title: string; isClosed: boolean }, shown: View | string): Message {
  const opening = form.isClosed
    ? `You closed *${form.title}* before we could answer:`
    : `Our answer could not be shown in *${form.title}*:`;
  if (typeof shown === 'string') return message(`${opening}\n${escaped(shown)}`);
  const [block] = shown.blocks as KnownBlock[];
  const isNotice = shown.callback_id === VIEWS.notice && block?.type === 'section';
  const missing = 'The form had one more question, so nothing was saved. Please open it again.';
  return message(`${opening}\n${(isNotice && block.text?.text) || missing}`);
}

/** Replaces a form that waits, once its answer is where the person opened the form. */
export const ANSWERED_ELSEWHERE =
  'The answer is in the conversation where you asked.\nNothing is sent before you press *Send* there.';

/** Somebody opened the form outside any conversation: says where its preview is. */
export function previewIsIn(title: string, channel: string): ModalView {
  return noticeView(
    title,
    `Go on in <#${channel}>: the preview appears there, for you only.\n` +
      'If Switchboard is not in that channel, the preview comes as a direct message.',
  );
}

export function loadingView(title: string): ModalView {
  return noticeView(title, 'One moment, please …');
}

export const CHECKING_KEY_VIEW = noticeView(
  TITLES.checkingKey,
  'Asking the service whether this key works.\nNothing is saved before the service says yes.\n' +
    'You can close this. The result then comes as a direct message.',
);

export const CHECKING_REFUSALS_VIEW = noticeView(
  TITLES.refusalCheck,
  'Sending the two texts, and watching the balance. This takes about ten seconds.\n' +
    'You can close this. The result then comes as a direct message.',
);

/** Shown while we check a long list. `file`: the file's name. `rows`: how many we have read so far. */
export function checkingListView(file: string | undefined, rows = 0): ModalView {
  const what = file === undefined ? 'the list' : quoted(file);
  const far = rows === 0 ? '' : ` ${count(rows)} rows read so far.`;
  return noticeView(
    TITLES.checkingList,
    `Checking ${what}…${far}\nYou can close this. The preview comes anyway.`,
  );
}

export function noticeBlock(notice: string): KnownBlock {
  return { type: 'section', text: plain(cut(notice, SECTION_MAX)) };
}

const PREFILLED = ['initial_user', 'initial_users'];

/** The view with no people in its menus, and a notice that says so; undefined if nobody was in them. */
export function withoutPeople(view: View): View | undefined {
  const blocks = (view.blocks as KnownBlock[]).map((block) => {
    if (block.type !== 'input') return block;
    const kept = Object.entries(block.element).filter(([name]) => !PREFILLED.includes(name));
    return { ...block, element: Object.fromEntries(kept) as unknown as typeof block.element };
  });
  if (isDeepStrictEqual(blocks, view.blocks)) return undefined;
  return { ...view, blocks: [noticeBlock(PEOPLE_NOT_SHOWN), ...blocks] };
}

const PEOPLE_NOT_SHOWN =
  'Slack did not show the people who are chosen here: one of them may have left. Please choose them again before you go on.';
