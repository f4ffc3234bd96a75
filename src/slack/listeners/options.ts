import type { App, BlockSuggestion } from '@slack/bolt';
import { FIELDS } from '../ui/ids.ts';
import { channelOptions } from '../ui/payer.ts';
import { type Workspaces, workspaceOf } from '../workspaces/workspaces.ts';

/** Fills the menu of channels while somebody types. An error gives an empty menu: Slack wants an answer within 3 s. */
export function receiveOptions(app: App, workspaces: Workspaces): void {
  async function channelsFor({ user, value, ...body }: BlockSuggestion) {
    const deps = await workspaces.at(workspaceOf({ ...body, user }));
    const person = await deps.access.person(user.id, user.team_id);
    return channelOptions(await deps.conversations.sendableBy(person), value);
  }

  app.options<'block_suggestion'>(/.*/, async ({ ack, body }) => {
    if (body.action_id !== FIELDS.channel) {
      await ack({ options: [] });
      workspaces.outside.log.info('Slack asked for the options of an unknown menu');
      return;
    }
    const options = await channelsFor(body).catch((error: unknown) => {
      workspaces.outside.log.warn({ err: error }, 'the bot could not read the channels for a menu');
      return [];
    });
    await ack({ options });
  });
}
