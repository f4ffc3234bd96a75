import { openOptOutForm } from '../../forms/open-opt-out-form.ts';
import { openBulkForm, openSendForm, type TextPrefill } from '../../forms/open-sending-form.ts';
import { plainWords } from '../../people/plain-words.ts';
import { type FromMessage, listIn } from '../../requests/from-message.ts';
import type { SlackRequest } from '../../requests/slack-request.ts';
import { INPUT_MAX } from '../../ui/modal.ts';
import { MESSAGE_WORDS } from '../../ui/texts/text-problems.ts';
import type { SlackDeps } from '../../workspaces/deps.ts';

interface ShortcutRequest extends SlackRequest {
  /** What a shortcut on a message is about; no words and no files for a global one. */
  on: FromMessage;
}

export type ShortcutHandler = (deps: SlackDeps, request: ShortcutRequest) => Promise<void>;

/** **Write a text**: the form, which asks for the channel. */
export const writeText: ShortcutHandler = (deps, request) => openSendForm(deps, request);

/** **Text a list**: the same for a whole list. */
export const textList: ShortcutHandler = (deps, request) => openBulkForm(deps, request);

/** **Text this message**: the form with the message's words. */
export const textMessage: ShortcutHandler = (deps, { on, ...request }) =>
  openSendForm(deps, request, wordsOf(deps, on));

/** **Text this list**: the list form with the message's file, which is fetched when the form is submitted. */
export const textMessageList: ShortcutHandler = (deps, { on, ...request }) =>
  openBulkForm(deps, request, listIn(on.files));

async function wordsOf({ web }: SlackDeps, { text }: FromMessage): Promise<TextPrefill> {
  const words = (await plainWords(web, text)).trim();
  if (words === '') return { notice: MESSAGE_WORDS.none };
  return words.length > INPUT_MAX ? { notice: MESSAGE_WORDS.tooLong() } : { message: words };
}

/** **Stop texting this number**: the form with the numbers in the message's words. */
export const stopTexting: ShortcutHandler = (deps, { on, ...request }) =>
  openOptOutForm(deps, request, on.text);
