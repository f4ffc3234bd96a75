import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import { ACTIONS, COMMAND, VIEWS } from '../ids.ts';

const KNOWN_ACTIONS = new Set<string>(Object.values(ACTIONS));
const KNOWN_VIEWS = new Set<string>(Object.values(VIEWS));

/**
 * Acks what no other listener knows, such as a button of an older version: without an ack Slack shows an error after
 * three seconds. All matching listeners run, so these match only what the others leave.
 */
export function registerRest(app: App, log: Logger): void {
  app.action(/.*/, async ({ ack, action }) => {
    if ('action_id' in action && KNOWN_ACTIONS.has(action.action_id)) return;
    await ack();
    log.info(
      { action: 'action_id' in action ? action.action_id : action.type },
      'an unknown button was pressed',
    );
  });
  app.view(/.*/, async ({ ack, view }) => {
    if (KNOWN_VIEWS.has(view.callback_id)) return;
    await ack();
    log.info({ view: view.callback_id }, 'an unknown form was submitted');
  });
  app.command(/.*/, async ({ ack, command }) => {
    if (command.command === COMMAND) return;
    await ack(`Switchboard does not know this command: type \`${COMMAND}\`. Nothing was sent.`);
    log.info({ command: command.command }, 'an unknown command was typed');
  });
  app.shortcut(/.*/, async ({ ack, shortcut }) => {
    await ack();
    log.info({ shortcut: shortcut.callback_id }, 'an unknown shortcut was chosen');
  });
  app.options(/.*/, async ({ ack }) => {
    await ack({ options: [] });
    log.info('options were asked for an unknown menu');
  });
}
