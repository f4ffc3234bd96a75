import type { App, GlobalShortcut, MessageShortcut } from '@slack/bolt';
import type { Logger } from 'pino';
import type { ReplyTo } from '../../answers/replies.ts';
import { readMessageOf } from '../../requests/from-message.ts';
import { createFirstHere } from '../../requests/slack-request.ts';
import { SHORTCUTS } from '../../ui/ids.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { inWorkspace } from '../in-workspace.ts';
import {
  type ShortcutHandler,
  stopTexting,
  textList,
  textMessage,
  textMessageList,
  writeText,
} from './open-forms.ts';

/** Each shortcut with its handler. */
const HANDLERS: Record<(typeof SHORTCUTS)[keyof typeof SHORTCUTS], ShortcutHandler> = {
  [SHORTCUTS.writeText]: writeText,
  [SHORTCUTS.textList]: textList,
  [SHORTCUTS.textMessage]: textMessage,
  [SHORTCUTS.textMessageList]: textMessageList,
  [SHORTCUTS.stopTexting]: stopTexting,
};

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
    const to = replyToOf(shortcut);
    await inWorkspace(workspaces, { body: shortcut, to }, async (deps) => {
      deps.log.info({ shortcut: chosen }, 'a shortcut was chosen');
      if (!(await deps.core.firstTime(`shortcut:${trigger}`))) return;
      await handler(deps, {
        person: await deps.access.person(shortcut.user.id, shortcut.user.team_id),
        channel: to.channel,
        triggerId: trigger,
        to,
        on: readMessageOf(shortcut.type === 'message_action' ? shortcut.message : {}),
      });
    });
  });
}

function replyToOf(shortcut: GlobalShortcut | MessageShortcut): ReplyTo {
  const user = shortcut.user.id;
  if (shortcut.type === 'shortcut') return { user, channel: '', issuedAt: Date.now() };
  const { channel, response_url: responseUrl } = shortcut;
  return { user, channel: channel.id, issuedAt: Date.now(), responseUrl: responseUrl || undefined };
}
