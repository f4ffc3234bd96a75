import type { Changes } from './changes.ts';
import { createTimestamps, newId, withIds } from './ids.ts';
import type { Seeds } from './seeds.ts';
import { KEPT_MESSAGES, type WorkspaceSnapshot } from './snapshot.ts';
import type { Channel, Ephemeral, FileInfo, Json, Message, User } from './types.ts';

/** What the author of a message decides. */
export interface Content {
  text: string;
  blocks: readonly Json[];
  thread_ts?: string;
  files?: readonly FileInfo[];
}

/** People see the conversations that they are in; all but guests and people of other workspaces see public ones too. */
export function seesChannel(user: User, channel: Channel): boolean {
  const open = channel.kind === 'public' && !user.is_stranger && !user.is_restricted;
  return open || channel.members.includes(user.id);
}

const isWhisper = (message: Message | Ephemeral): message is Ephemeral => 'to' in message;

/** People, channels and messages. A returned object never changes: a changed message is a new object. */
export type Workspace = ReturnType<typeof createWorkspace>;

export interface WorkspaceOptions {
  /** Makes the seeds, at the start and at each reset. */
  seeds: () => Seeds;
  bot: User;
  /** Milliseconds. */
  now: () => number;
  changes: Changes;
}

export function createWorkspace({ seeds, bot, now, changes }: WorkspaceOptions) {
  const users = new Map<string, User>();
  const channels = new Map<string, Channel>();
  /** The messages of each channel, oldest first; those that only one person sees are among them. */
  const said = new Map<string, readonly (Message | Ephemeral)[]>();
  let nextTs = createTimestamps(now);

  function reset(): void {
    for (const map of [users, channels, said]) map.clear();
    const { people, channels: rooms } = seeds();
    for (const user of [bot, ...Object.values(people)]) users.set(user.id, user);
    for (const room of Object.values(rooms)) channels.set(room.id, room);
  }

  function snapshot(): WorkspaceSnapshot {
    return {
      channels: [...channels.values()],
      messages: [...said.keys()].flatMap((id) => history(id).slice(-KEPT_MESSAGES)),
      ephemerals: whispers().slice(-KEPT_MESSAGES),
    };
  }

  /** The people are those of the seeds: a snapshot has none. */
  function restore(kept: WorkspaceSnapshot): void {
    reset();
    channels.clear();
    for (const room of kept.channels) channels.set(room.id, room);
    const all = [...kept.messages, ...kept.ephemerals];
    for (const one of all) said.set(one.channel, [...saidIn(one.channel), one]);
    const times = all.map(({ ts }) => ts).sort();
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

  const saidIn = (channel: string) => said.get(channel) ?? [];
  const history = (channel: string): readonly Message[] => saidIn(channel).filter((one) => !isWhisper(one));
  const whispers = (): Ephemeral[] =>
    [...said.values()]
      .flat()
      .filter(isWhisper)
      .sort((a, b) => Number(a.ts) - Number(b.ts));

  function tell(what: '' | '_changed' | '_deleted', message: Message | Ephemeral): void {
    const change = isWhisper(message)
      ? ({ kind: `ephemeral${what}`, message } as const)
      : ({ kind: `message${what}`, message } as const);
    changes.emit(change);
  }

  function compose(channel: string, user: string, content: Content): Message {
    const { text, blocks, ...more } = content;
    return { channel, ts: nextTs(), user, text, blocks: withIds(blocks), ...more };
  }

  function add<Said extends Message | Ephemeral>(message: Said): Said {
    said.set(message.channel, [...saidIn(message.channel), message]);
    tell('', message);
    return message;
  }

  function swap(old: Message | Ephemeral, ...others: (Message | Ephemeral)[]): void {
    said.set(
      old.channel,
      saidIn(old.channel).flatMap((one) => (one.ts === old.ts ? others : [one])),
    );
  }

  function edit<Said extends Message | Ephemeral>(old: Said, content: Content): Said {
    const edited = { ...old, text: content.text, blocks: withIds(content.blocks), edited: true };
    swap(old, edited);
    tell('_changed', edited);
    return edited;
  }

  function remove(old: Message | Ephemeral): void {
    swap(old);
    tell('_deleted', old);
  }

  /** The direct message of two people; makes it if there is none. */
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
    message: (channel: string, ts: string) => history(channel).find((one) => one.ts === ts),
    /** The message as it is now; undefined if it is gone. */
    current: ({ channel, ts }: Message | Ephemeral) => saidIn(channel).find((one) => one.ts === ts),
    ephemerals: (user: string): readonly Ephemeral[] => whispers().filter((one) => one.to === user),
    post: (channel: string, user: string, content: Content): Message => add(compose(channel, user, content)),
    whisper: (channel: string, to: string, content: Content): Ephemeral =>
      add({ ...compose(channel, bot.id, content), to }),
    edit,
    remove,
    /** Removes the messages that only `user` sees, as a reload does. */
    forgetEphemerals: (user: string) =>
      whispers()
        .filter((one) => one.to === user)
        .forEach(remove),
  };
}
