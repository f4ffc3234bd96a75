import type { App, BlockSuggestion } from '@slack/bolt';
import type { Logger } from 'pino';
import { channelOptions } from '../ui/channel-field.ts';
import { FIELDS } from '../ui/ids.ts';
import { placeOf } from '../workspaces/place-of.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';

/**
 * Menus that Slack fills while somebody types: the channels that this person can send from, where they are more than a
 * plain menu holds. Whatever happens is answered within 3 s: else Slack shows an error.
 */
export function registerOptions(app: App, workspaces: Workspaces, log: Logger): void {
  async function channelsFor({ user, value, ...body }: BlockSuggestion) {
    const deps = await workspaces.at(placeOf({ ...body, user }));
    const person = await deps.access.person(user.id, user.team_id);
    return channelOptions(await deps.conversations.sendableBy(person), value);
  }

  app.options<'block_suggestion'>(/.*/, async ({ ack, body }) => {
    if (body.action_id !== FIELDS.channel) {
      await ack({ options: [] });
      log.info('options were asked for an unknown menu');
      return;
    }
    const options = await channelsFor(body).catch((error: unknown) => {
      log.warn({ err: error }, 'the channels of a menu could not be read');
      return [];
    });
    await ack({ options });
  });
}
