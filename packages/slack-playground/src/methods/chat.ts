import { readContent } from '../content.ts';
import type { Records } from '../records.ts';
import { Refusal } from '../refusal.ts';
import type { App } from '../seeds.ts';
import type { Channel, Json, Message } from '../types.ts';
import type { Workspace } from '../workspace.ts';
import { type Methods, optional, required } from './args.ts';
import { needWritable, visibleChannel } from './conversations.ts';

/** How long the `text` of a change may be, in characters: docs.slack.dev/reference/methods/chat.update. */
const MAX_CHANGED_TEXT = 4000;

/** chat.*: the bot's messages. Source: docs.slack.dev/reference/methods. */
export function createChatMethods(workspace: Workspace, records: Records, app: App): Methods {
  const { bot } = workspace;

  /** The conversation to write in. A user's id means the direct message with that user. */
  function writable(args: Json): Channel {
    const id = optional(args, 'channel');
    const user = id === undefined ? undefined : workspace.user(id);
    const channel = user ? workspace.directMessage(user.id, bot.id) : visibleChannel(workspace, id);
    return needWritable(channel, bot);
  }

  function messageJson(message: Message): Json {
    const { user, ts, text, blocks, thread_ts } = message;
    const thread = thread_ts === undefined ? {} : { thread_ts };
    const { bot_id, app_id } = app;
    return { type: 'message', user, bot_id, app_id, team: bot.team_id, ts, text, blocks, ...thread };
  }

  /** A message of the bot. If it is somebody else's, throws `refusal`. */
  function own(args: Json, refusal: string): Message {
    const channel = visibleChannel(workspace, required(args, 'channel'));
    const message = workspace.message(channel.id, required(args, 'ts'));
    if (!message) throw new Refusal('message_not_found');
    if (message.user !== bot.id) throw new Refusal(refusal);
    return message;
  }

  return {
    'chat.postMessage': (args) => {
      const channel = writable(args);
      const message = workspace.post(channel.id, bot.id, readContent('chat.postMessage', args, records));
      return { channel: channel.id, ts: message.ts, message: messageJson(message) };
    },
    'chat.postEphemeral': (args) => {
      const channel = writable(args);
      const user = required(args, 'user');
      if (!channel.members.includes(user)) throw new Refusal('user_not_in_channel');
      const content = readContent('chat.postEphemeral', args, records);
      return { message_ts: workspace.postEphemeral(channel.id, user, content).ts };
    },
    'chat.update': (args) => {
      const old = own(args, 'cant_update_message');
      if (workspace.channel(old.channel)?.is_archived) throw new Refusal('is_inactive');
      if (args.text === undefined && args.blocks === undefined) throw new Refusal('no_text');
      // Without `blocks` the old blocks stay. To remove them, an app sends an empty list.
      const merged = { text: old.text, blocks: old.blocks, ...args };
      const content = readContent('chat.update', merged, records);
      if (content.text.length > MAX_CHANGED_TEXT) throw new Refusal('msg_too_long');
      const message = workspace.edit(old, content);
      return { channel: old.channel, ts: message.ts, text: message.text, message: messageJson(message) };
    },
    'chat.delete': (args) => {
      const old = own(args, 'cant_delete_message');
      workspace.remove(old);
      return { channel: old.channel, ts: old.ts };
    },
  };
}
