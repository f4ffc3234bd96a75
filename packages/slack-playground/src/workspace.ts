import type { Changes } from './changes.ts';
import { createTimestamps, newId, withIds } from './ids.ts';
import type { Seeds } from './seeds.ts';
import { KEPT_MESSAGES, type WorkspaceSnapshot } from './snapshot.ts';
import type { Channel, Ephemeral, FileInfo, Json, Message, User } from './types.ts';

/** What a message is made of. */
export interface Content {
  text: string;
  blocks: readonly Json[];
  thread_ts?: string;
  files?: readonly FileInfo[];
}

/** Guests and people of other workspaces see what they were invited to; everybody else also the public channels. */
export function seesChannel(user: User, channel: Channel): boolean {
  const open = channel.kind === 'public' && !user.is_stranger && !user.is_restricted;
  return open || channel.members.includes(user.id);
}

/** People, channels and what was said in them. Everything handed out is a snapshot. */
export type Workspace = ReturnType<typeof createWorkspace>;

export interface WorkspaceOptions {
  /** Gives a fresh set of seeds at the start and at each reset. */
  seeds: () => Seeds;
  bot: User;
  /** Milliseconds. */
  now: () => number;
  changes: Changes;
}

export function createWorkspace({ seeds, bot, now, changes }: WorkspaceOptions) {
  const users = new Map<string, User>();
  const channels = new Map<string, Channel>();
  const histories = new Map<string, Message[]>();
  let ephemerals: Ephemeral[] = [];
  let nextTs = createTimestamps(now);

  function reset(): void {
    for (const map of [users, channels, histories]) map.clear();
    ephemerals = [];
    const { people, channels: rooms } = seeds();
    for (const user of [bot, ...Object.values(people)]) users.set(user.id, user);
    for (const room of Object.values(rooms)) channels.set(room.id, room);
  }

  function snapshot(): WorkspaceSnapshot {
    return {
      channels: [...channels.values()],
      messages: [...histories.values()].flatMap((said) => said.slice(-KEPT_MESSAGES)),
      ephemerals: ephemerals.slice(-KEPT_MESSAGES),
    };
  }

  /** People are those of the seeds. */
  function restore(kept: WorkspaceSnapshot): void {
    reset();
    channels.clear();
    for (const room of kept.channels) channels.set(room.id, room);
    for (const one of kept.messages) histories.set(one.channel, [...(histories.get(one.channel) ?? []), one]);
    ephemerals = kept.ephemerals;
    const times = [...kept.messages, ...kept.ephemerals].map(({ ts }) => ts).sort();
    nextTs = createTimestamps(now, times.at(-1));
  }

  function setChannel(channel: Channel): Channel {
    channels.set(channel.id, channel);
    changes.emit({ kind: 'members', channel });
    return channel;
  }

  function setMembers(id: string, members: (now: readonly string[]) => readonly string[]): void {
    const channel = channels.get(id);
    if (!channel) throw new Error(`There is no channel ${id}.`);
    setChannel({ ...channel, members: members(channel.members) });
  }

  const history = (channel: string): readonly Message[] => [...(histories.get(channel) ?? [])];
  const message = (channel: string, ts: string) => history(channel).find((one) => one.ts === ts);
  const ephemeral = (ts: string) => ephemerals.find((one) => one.ts === ts);

  function compose(channel: string, user: string, content: Content): Message {
    const { text, blocks, ...more } = content;
    return { channel, ts: nextTs(), user, text, blocks: withIds(blocks), ...more };
  }

  function post(channel: string, user: string, content: Content): Message {
    const posted = compose(channel, user, content);
    histories.set(channel, [...(histories.get(channel) ?? []), posted]);
    changes.emit({ kind: 'message', message: posted });
    return posted;
  }

  function edit(old: Message, content: Content): Message {
    const edited = { ...old, text: content.text, blocks: withIds(content.blocks), edited: true };
    const swap = (one: Message) => (one.ts === old.ts ? edited : one);
    histories.set(old.channel, history(old.channel).map(swap));
    changes.emit({ kind: 'message_changed', message: edited });
    return edited;
  }

  function remove(old: Message): void {
    histories.set(
      old.channel,
      history(old.channel).filter((one) => one.ts !== old.ts),
    );
    changes.emit({ kind: 'message_deleted', message: old });
  }

  function whisper(channel: string, to: string, content: Content): Ephemeral {
    const whispered = { ...compose(channel, bot.id, content), to };
    ephemerals = [...ephemerals, whispered];
    changes.emit({ kind: 'ephemeral', message: whispered });
    return whispered;
  }

  function editWhisper(old: Ephemeral, content: Content): Ephemeral {
    const edited = { ...old, text: content.text, blocks: withIds(content.blocks), edited: true };
    ephemerals = ephemerals.map((one) => (one.ts === old.ts ? edited : one));
    changes.emit({ kind: 'ephemeral_changed', message: edited });
    return edited;
  }

  function removeWhisper(old: Ephemeral): void {
    ephemerals = ephemerals.filter((one) => one.ts !== old.ts);
    changes.emit({ kind: 'ephemeral_deleted', message: old });
  }

  /** The direct message of two people; made if there is none. */
  function directMessage(one: string, other: string): Channel {
    const theirs = (c: Channel) => c.kind === 'im' && c.members.includes(one) && c.members.includes(other);
    const known = [...channels.values()].find(theirs);
    if (known) return known;
    const members = [one, other];
    const made = {
      id: newId('D'),
      name: '',
      kind: 'im' as const,
      members,
      is_archived: false,
      is_ext_shared: false,
    };
    return setChannel(made);
  }

  reset();
  return {
    bot,
    now,
    nextTs: () => nextTs(),
    reset,
    snapshot,
    restore,
    user: (id: string) => users.get(id),
    users: () => [...users.values()],
    channel: (id: string) => channels.get(id),
    channels: () => [...channels.values()],
    addUser: (user: User) => void users.set(user.id, user),
    addChannel: setChannel,
    join: (id: string, user: string) => setMembers(id, (now) => [...now.filter((m) => m !== user), user]),
    leave: (id: string, user: string) => setMembers(id, (now) => now.filter((m) => m !== user)),
    directMessage,
    history,
    message,
    post,
    edit,
    remove,
    ephemeral,
    ephemerals: (user: string): readonly Ephemeral[] => ephemerals.filter((one) => one.to === user),
    whisper,
    editWhisper,
    removeWhisper,
    /** A reload: what only `user` saw is gone. */
    forgetEphemerals: (user: string) => ephemerals.filter((one) => one.to === user).forEach(removeWhisper),
  };
}
