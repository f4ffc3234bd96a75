import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { createFirstHere } from '../../requests/first-here.ts';
import { SHORTCUTS } from '../../ui/ids.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import { inWorkspace } from '../in-workspace.ts';
import { stopTexting, textList, textMessage, textMessageList, writeText } from './open-forms.ts';
import { replyToOf, requestOf, type ShortcutHandler } from './shortcut.ts';

/** Shortcuts, by callback id. */
const HANDLERS = new Map<string, ShortcutHandler>([
  [SHORTCUTS.writeText, writeText],
  [SHORTCUTS.textList, textList],
  [SHORTCUTS.textMessage, textMessage],
  [SHORTCUTS.textMessageList, textMessageList],
  [SHORTCUTS.stopTexting, stopTexting],
]);

/** One listener for all, as for actions; what nobody knows is acked too. */
export function registerShortcuts(app: App, workspaces: Workspaces, log: Logger): void {
  const isFirstHere = createFirstHere();
  app.shortcut(/.*/, async ({ shortcut, ack }) => {
    await ack();
    const { callback_id: chosen, trigger_id: trigger } = shortcut;
    const handler = HANDLERS.get(chosen);
    if (!handler) {
      log.info({ shortcut: chosen }, 'an unknown shortcut was chosen');
      return;
    }
    if (!isFirstHere(trigger)) return;
    const to = replyToOf(shortcut);
    await inWorkspace(workspaces, { body: shortcut, to }, async (deps) => {
      deps.log.info({ shortcut: chosen }, 'a shortcut was chosen');
      if (!(await deps.core.firstTime(`shortcut:${trigger}`))) return;
      const person = await deps.access.person(shortcut.user.id, shortcut.user.team_id);
      await handler(deps, requestOf(shortcut, { person, to }));
    });
  });
}
