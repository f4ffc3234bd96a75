import type { App } from '@slack/bolt';
import type { Logger } from 'pino';

/**
 * Acks what the bot does not offer but Slack's settings of the app may: without an ack Slack shows an error after 3 s.
 */
export function registerUnhandled(app: App, log: Logger): void {
  app.shortcut(/.*/, async ({ ack, shortcut }) => {
    await ack();
    log.info({ shortcut: shortcut.callback_id }, 'an unknown shortcut was chosen');
  });
  app.options(/.*/, async ({ ack }) => {
    await ack({ options: [] });
    log.info('options were asked for an unknown menu');
  });
}
