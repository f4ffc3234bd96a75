import { Refusal } from '../refusal.ts';
import type { Channel, Json, User } from '../types.ts';
import type { Workspace } from '../workspace.ts';
import { type Methods, optional, page, required } from './args.ts';

const TYPES = { public_channel: 'public', private_channel: 'private', im: 'im' } as const;

/** The conversation, if it is public or the bot is in it. Throws channel_not_found. */
export function visibleChannel(workspace: Workspace, id: string | undefined): Channel {
  const channel = id === undefined ? undefined : workspace.channel(id);
  if (channel && (channel.kind === 'public' || channel.members.includes(workspace.bot.id))) return channel;
  throw new Refusal('channel_not_found');
}

/** The conversation, if the bot may write there. Throws not_in_channel or is_archived. */
export function needWritable(channel: Channel, bot: User): Channel {
  if (!channel.members.includes(bot.id)) throw new Refusal('not_in_channel');
  if (channel.is_archived) throw new Refusal('is_archived');
  return channel;
}

/** conversations.* and users.conversations: read with channels:read and groups:read. */
export function createConversationMethods(workspace: Workspace): Methods {
  const { bot } = workspace;

  function channelJson(channel: Channel): Json {
    const isIm = channel.kind === 'im';
    const common = {
      id: channel.id,
      is_im: isIm,
      is_mpim: false,
      is_archived: channel.is_archived,
      is_org_shared: false,
      context_team_id: workspace.bot.team_id,
    };
    if (isIm) return { ...common, user: channel.members.find((member) => member !== bot.id) };
    return {
      ...common,
      name: channel.name,
      name_normalized: channel.name,
      is_channel: true,
      is_group: false,
      is_private: channel.kind === 'private',
      is_general: false,
      is_shared: channel.is_ext_shared,
      is_ext_shared: channel.is_ext_shared,
      is_member: channel.members.includes(bot.id),
    };
  }

  function open(args: Json): Json {
    const known = optional(args, 'channel');
    if (known !== undefined) return { channel: channelJson(visibleChannel(workspace, known)) };
    const ids = optional(args, 'users')?.split(',') ?? [];
    if (ids.length === 0) throw new Refusal('users_list_not_supplied');
    if (ids.length > 1) throw new Refusal('missing_scope', ['needed: mpim:write']);
    const user = workspace.user(String(ids[0]));
    if (!user) throw new Refusal('user_not_found');
    if (user.deleted) throw new Refusal('user_disabled');
    if (user.id === bot.id) throw new Refusal('cannot_dm_bot');
    const channel = workspace.directMessage(user.id, bot.id);
    return { channel: optional(args, 'return_im') === 'true' ? channelJson(channel) : { id: channel.id } };
  }

  function ofUser(args: Json): Json {
    const user = optional(args, 'user') ?? bot.id;
    if (!workspace.user(user)) throw new Refusal('user_not_found');
    const types = (optional(args, 'types') ?? 'public_channel').split(',');
    if (types.some((type) => !(type in TYPES) && type !== 'mpim')) throw new Refusal('invalid_types');
    const kinds: string[] = types.map((type) => TYPES[type as keyof typeof TYPES]);
    const withArchived = optional(args, 'exclude_archived') !== 'true';
    const theirs = workspace
      .channels()
      .filter((channel) => kinds.includes(channel.kind) && channel.members.includes(user))
      .filter((channel) => channel.kind === 'public' || channel.members.includes(bot.id))
      .filter((channel) => withArchived || !channel.is_archived);
    const { items, response_metadata } = page(args, theirs, 100);
    return { channels: items.map(channelJson), response_metadata };
  }

  return {
    'conversations.info': (args) => {
      const channel = visibleChannel(workspace, required(args, 'channel'));
      const count = optional(args, 'include_num_members') === 'true';
      return {
        channel: { ...channelJson(channel), ...(count ? { num_members: channel.members.length } : {}) },
      };
    },
    'conversations.members': (args) => {
      const channel = visibleChannel(workspace, required(args, 'channel'));
      const { items, response_metadata } = page(args, channel.members, 100);
      return { members: items, response_metadata };
    },
    'conversations.open': open,
    'users.conversations': ofUser,
  };
}
