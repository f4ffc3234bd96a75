import type { App } from '@slack/bolt';
import type { Logger } from 'pino';

/** Acks menus that the bot does not offer: without an ack Slack shows an error after 3 s. */
export function registerUnhandled(app: App, log: Logger): void {
  app.options(/.*/, async ({ ack }) => {
    await ack({ options: [] });
    log.info('options were asked for an unknown menu');
  });
}
