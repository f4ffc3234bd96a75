import type { App, GlobalShortcut, MessageShortcut } from '@slack/bolt';
import type { Logger } from 'pino';
import type { ReplyTo } from '../answers/replies.ts';
import { openBulkForm, openSendForm, type TextPrefill } from '../forms/open-sending-form.ts';
import { plainWords } from '../people/plain-words.ts';
import { type FromMessage, listIn, readMessageOf } from '../requests/from-message.ts';
import { createFirstHere, type Handler, once, type SlackRequest } from '../requests/slack-request.ts';
import { SHORTCUTS } from '../ui/ids.ts';
import { INPUT_MAX } from '../ui/modal.ts';
import { MESSAGE_WORDS } from '../ui/texts/typed-problems.ts';
import type { SlackDeps } from '../workspaces/deps.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { inWorkspace } from './in-workspace.ts';
import { openOptOutForm } from './limits/opt-outs.ts';

interface ShortcutRequest extends SlackRequest {
  /** What a shortcut on a message is about; no words and no files for a global one. */
  on: FromMessage;
}

type ShortcutHandler = Handler<ShortcutRequest>;

/** Each shortcut opens a form. On a message, the form begins with what the message holds; without one, it asks for the channel. */
const HANDLERS: Record<(typeof SHORTCUTS)[keyof typeof SHORTCUTS], ShortcutHandler> = {
  [SHORTCUTS.writeText]: openSendForm,
  [SHORTCUTS.textList]: openBulkForm,
  [SHORTCUTS.textMessage]: (deps, request) => openSendForm(deps, request, wordsOf(deps, request.on)),
  [SHORTCUTS.textMessageList]: (deps, request) => openBulkForm(deps, request, listIn(request.on.files)),
  [SHORTCUTS.stopTexting]: (deps, request) => openOptOutForm(deps, request, request.on.text),
};

async function wordsOf({ web }: SlackDeps, { text }: FromMessage): Promise<TextPrefill> {
  const words = (await plainWords(web, text)).trim();
  if (words === '') return { notice: MESSAGE_WORDS.none };
  return words.length > INPUT_MAX ? { notice: MESSAGE_WORDS.tooLong() } : { message: words };
}

/** One listener for all, as for actions; what nobody knows is acked too. */
export function receiveShortcuts(app: App, workspaces: Workspaces, log: Logger): void {
  const handlers = new Map(Object.entries(HANDLERS));
  const isFirstHere = createFirstHere();
  app.shortcut(/.*/, async ({ shortcut, ack }) => {
    await ack();
    const { callback_id: chosen, trigger_id: trigger } = shortcut;
    const handler = handlers.get(chosen);
    if (!handler) {
      log.info({ shortcut: chosen }, 'an unknown shortcut was chosen');
      return;
    }
    if (!isFirstHere(trigger)) return;
    const arrival = {
      kind: 'shortcut',
      name: chosen,
      body: shortcut,
      to: replyToOf(shortcut),
      homeTeam: shortcut.user.team_id,
      triggerId: trigger,
    } as const;
    const on = readMessageOf(shortcut.type === 'message_action' ? shortcut.message : {});
    await inWorkspace(workspaces, arrival, (deps, request) => once(handler)(deps, { ...request, on }));
  });
}

function replyToOf(shortcut: GlobalShortcut | MessageShortcut): ReplyTo {
  const user = shortcut.user.id;
  if (shortcut.type === 'shortcut') return { user, channel: '', issuedAt: Date.now() };
  const { channel, response_url: responseUrl } = shortcut;
  return { user, channel: channel.id, issuedAt: Date.now(), responseUrl: responseUrl || undefined };
}
