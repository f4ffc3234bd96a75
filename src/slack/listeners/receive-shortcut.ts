import type { App } from '@slack/bolt';
import { z } from 'zod';
import { endingOf } from '../files/download-file.ts';
import { openBulkForm, openSendForm, type Prefilled } from '../forms/open-sending-form.ts';
import { plainWords } from '../people/plain-words.ts';
import { type Handler, once, type SlackRequest } from '../requests/slack-request.ts';
import { SHORTCUTS } from '../ui/ids.ts';
import { LIST_ENDINGS } from '../ui/lists/bulk-form.ts';
import { MESSAGE_FILES, wrongEnding } from '../ui/lists/list-problems.ts';
import { INPUT_MAX } from '../ui/modal.ts';
import { oneLine } from '../ui/safe-text.ts';
import { MESSAGE_WORDS } from '../ui/texts/typed-problems.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { inWorkspace } from './in-workspace.ts';
import { openOptOutForm } from './limits/opt-outs.ts';
import { listInWords } from './lists/typed-list.ts';

interface ShortcutRequest extends SlackRequest {
  /** The message that the shortcut was used on; without words and files for a global shortcut. */
  on: FromMessage;
}

/** Each shortcut opens a form. On a message, the form begins with what the message holds; without one, it asks for the channel. */
const HANDLERS: Record<(typeof SHORTCUTS)[keyof typeof SHORTCUTS], Handler<ShortcutRequest>> = {
  [SHORTCUTS.writeText]: openSendForm,
  [SHORTCUTS.textList]: openBulkForm,
  [SHORTCUTS.textMessage]: (deps, request) => openSendForm(deps, request, () => wordsOf(deps, request.on)),
  [SHORTCUTS.textMessageList]: (deps, request) => openBulkForm(deps, request, () => listOf(deps, request)),
  [SHORTCUTS.stopTexting]: (deps, request) => openOptOutForm(deps, request, request.on.text),
};

async function wordsOf({ web }: SlackDeps, { text }: FromMessage): Promise<Prefilled> {
  const words = (await plainWords(web, text)).trim();
  if (words === '') return { notice: MESSAGE_WORDS.none };
  return words.length > INPUT_MAX ? { notice: MESSAGE_WORDS.tooLong() } : { message: words };
}

/** The list among a message's files; if it has no file, the one in its words. */
async function listOf(
  deps: SlackDeps,
  { channel, on: { files, text } }: ShortcutRequest,
): Promise<Prefilled> {
  const rest = files.length === 0 ? (await plainWords(deps.web, text)).trim() : '';
  return (await listInWords(deps, { channel, rest })) ?? listIn(files);
}

/** Registers one listener for all shortcuts, as for clicks, and acks unknown ones, too. */
export function receiveShortcuts(app: App, workspaces: Workspaces): void {
  const handlers = new Map(Object.entries(HANDLERS));
  app.shortcut(/.*/, async ({ shortcut, ack }) => {
    await ack();
    const { callback_id: chosen } = shortcut;
    const handler = handlers.get(chosen);
    if (!handler) {
      workspaces.outside.log.info({ shortcut: chosen }, 'an unknown shortcut was chosen');
      return;
    }
    const on = readMessageOf('message' in shortcut ? shortcut.message : {});
    await inWorkspace(workspaces, { kind: 'shortcut', name: chosen }, shortcut, (deps, request) =>
      once(handler)(deps, { ...request, on }),
    );
  });
}

/** What the bot reads of a message that somebody used a shortcut on. */
const FromMessage = z.object({
  /** Its words, in Slack's own formatting. */
  text: z.string().catch(''),
  files: z
    .array(
      z.object({
        id: z.string(),
        /** Absent if Slack gives the file's id only, in Slack Connect. */
        name: z.string().optional(),
        mode: z.string().optional(),
      }),
    )
    .catch([]),
});
type FromMessage = z.infer<typeof FromMessage>;

/** Reads a message: docs.slack.dev/reference/interaction-payloads/shortcuts-interaction-payload. Never throws. */
export function readMessageOf(message: unknown): FromMessage {
  return FromMessage.catch({ text: '', files: [] }).parse(message);
}

/** Files that Slack names without having them: docs.slack.dev/reference/objects/file-object. */
const GONE = ['tombstone', 'hidden_by_limit'];

/** The only list among a message's files, for the list form. If there is not exactly one, a notice that says why. */
export function listIn(
  files: FromMessage['files'],
): { file: { id: string; name: string } } | { notice: string } {
  const there = files.filter(({ mode = '' }) => !GONE.includes(mode));
  const [file, ...others] = there.filter(
    ({ name }) => name === undefined || LIST_ENDINGS.includes(endingOf(name)),
  );
  if (file && others.length > 0) return { notice: MESSAGE_FILES.several };
  if (file) return { file: { id: file.id, name: oneLine(file.name ?? MESSAGE_FILES.unnamed) } };
  const [first, ...rest] = there;
  if (first?.name === undefined) return { notice: MESSAGE_FILES.none };
  return { notice: rest.length > 0 ? MESSAGE_FILES.noList : wrongEnding(first.name, endingOf(first.name)) };
}
