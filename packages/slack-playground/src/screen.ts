import type { Shortcut } from './manifest.ts';
import type { PageChannel, PageState } from './page-state.ts';
import type { Playground } from './server.ts';
import type { Channel, Ephemeral, Message, User } from './types.ts';
import { seesChannel } from './workspace.ts';

/** How many messages of a conversation the page gets, the newest. */
const SHOWN_MESSAGES = 100;

type Screen = Pick<PageState, 'as' | 'team' | 'people' | 'channels' | 'views' | 'app' | 'shortcuts'>;

/** The screen of `user`. `people` are the people that you can act as. */
export function screenOf(slack: Playground, people: readonly User[], user: User): Screen {
  const { id, name } = slack.team;
  const view = slack.home(user.id);
  return {
    as: user.id,
    team: { id, name },
    people: people.map((one) => ({ id: one.id, name: one.name, role: roleOf(one) })),
    channels: slack
      .conversations()
      .filter((channel) => seesChannel(user, channel))
      .map((channel) => channelOf(slack, user, channel)),
    views: slack.views(user.id),
    app: { tabs: appTabs(slack, user), ...(view && { view }) },
    shortcuts: shortcutsFor(slack, user),
  };
}

/**
 * Whether this person may type there. Nobody types in the direct message with the app: like Slack for an app with a
 * read-only messages tab, the page has no composer there.
 */
export function canType(slack: Playground, user: User, channel: Channel): boolean {
  return channel.members.includes(user.id) && !channel.is_archived && !isWithBot(slack, channel);
}

/** The tabs of the app's own place; people of other workspaces have none. */
export function appTabs({ features }: Playground, user: User): ('home' | 'messages')[] {
  return (['home', 'messages'] as const).filter((tab) => !user.is_stranger && features[tab]);
}

/** The shortcuts that this person has; people of other workspaces have none. */
export function shortcutsFor({ features }: Playground, user: User): readonly Shortcut[] {
  return user.is_stranger ? [] : (features.shortcuts ?? []);
}

/** Whether the file is in a conversation that this person sees. */
export function seesFile(slack: Playground, user: User, id: string): boolean {
  const channels = slack.file(id)?.channels.map(slack.channel) ?? [];
  return channels.some((channel) => channel && seesChannel(user, channel));
}

function channelOf(slack: Playground, user: User, channel: Channel): PageChannel {
  const { id, name, kind } = channel;
  const ephemerals = slack.ephemerals(user.id).filter((one) => one.channel === id);
  const messages: (Message | Ephemeral)[] = [...slack.history(id).slice(-SHOWN_MESSAGES), ...ephemerals]
    .sort((a, b) => Number(a.ts) - Number(b.ts))
    .slice(-SHOWN_MESSAGES);
  const other = slack.user(channel.members.find((member) => member !== user.id) ?? '');
  return {
    id,
    name: kind === 'im' ? nameOf(other) : name,
    kind,
    messages,
    canType: canType(slack, user, channel),
    isShared: channel.is_ext_shared,
    isWithBot: isWithBot(slack, channel),
  };
}

function isWithBot(slack: Playground, { kind, members }: Channel): boolean {
  return kind === 'im' && members.includes(slack.bot.user_id);
}

/** The name that people read: an app's display name, a person's short name. */
export function nameOf(user: User | undefined): string {
  return (user?.is_bot ? user.real_name : user?.name) ?? '';
}

function roleOf(user: User): string {
  if (user.is_stranger) return 'from another workspace';
  if (user.is_restricted) return 'guest';
  if (user.is_owner) return 'owner';
  return user.is_admin ? 'admin' : 'member';
}
