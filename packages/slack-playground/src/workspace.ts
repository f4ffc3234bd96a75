import type { Changes } from './changes.ts';
import { newId } from './ids.ts';
import { createMessages } from './messages.ts';
import type { Seeds } from './seeds.ts';
import type { WorkspaceSnapshot } from './snapshot.ts';
import type { Channel, User } from './types.ts';

/** People see the conversations that they are in; all but guests and people of other workspaces see public ones too. */
export function seesChannel(user: User, channel: Channel): boolean {
  const open = channel.kind === 'public' && !user.is_stranger && !user.is_restricted;
  return open || channel.members.includes(user.id);
}

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
  const messages = createMessages(bot, now, changes);

  function reset(): void {
    users.clear();
    channels.clear();
    messages.clear();
    const { people, channels: rooms } = seeds();
    for (const user of [bot, ...Object.values(people)]) users.set(user.id, user);
    for (const room of Object.values(rooms)) channels.set(room.id, room);
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

  /** The direct message of two people; makes it if there is none. */
  function directMessage(one: string, other: string): Channel {
    const theirs = (c: Channel) => c.kind === 'im' && c.members.includes(one) && c.members.includes(other);
    const known = [...channels.values()].find(theirs);
    if (known) return known;
    const members = [one, other];
    return setChannel({
      id: newId('D'),
      name: '',
      kind: 'im',
      members,
      is_archived: false,
      is_ext_shared: false,
    });
  }

  reset();
  return {
    ...messages,
    bot,
    now,
    user: (id: string) => users.get(id),
    users: () => [...users.values()],
    channel: (id: string) => channels.get(id),
    channels: () => [...channels.values()],
    addUser: (user: User) => void users.set(user.id, user),
    addChannel: setChannel,
    join: (id: string, user: string) => setMembers(id, (now) => [...now.filter((m) => m !== user), user]),
    leave: (id: string, user: string) => setMembers(id, (now) => now.filter((m) => m !== user)),
    directMessage,
    reset,
    snapshot: (): WorkspaceSnapshot => ({ channels: [...channels.values()], ...messages.snapshot() }),
    /** The people are those of the seeds: a snapshot has none. */
    restore(kept: WorkspaceSnapshot): void {
      reset();
      channels.clear();
      for (const room of kept.channels) channels.set(room.id, room);
      messages.restore(kept);
    },
  };
}
