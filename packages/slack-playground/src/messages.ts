import type { Changes } from './changes.ts';
import { createTimestamps, withIds } from './ids.ts';
import { KEPT_MESSAGES, type WorkspaceSnapshot } from './snapshot.ts';
import type { Ephemeral, FileInfo, Json, Message, User } from './types.ts';

/** What the author of a message decides. */
export interface Content {
  text: string;
  blocks: readonly Json[];
  thread_ts?: string;
  files?: readonly FileInfo[];
}

const isEphemeral = (message: Message | Ephemeral): message is Ephemeral => 'to' in message;

/** The messages of all channels. `now` is in ms; `bot` writes the ephemeral ones. */
export function createMessages(bot: User, now: () => number, changes: Changes) {
  /** The messages of each channel, oldest first; those that only one person sees are among them. */
  const said = new Map<string, readonly (Message | Ephemeral)[]>();
  let nextTs = createTimestamps(now);

  const saidIn = (channel: string) => said.get(channel) ?? [];
  const history = (channel: string): readonly Message[] => saidIn(channel).filter((one) => !isEphemeral(one));
  const allEphemerals = (): Ephemeral[] =>
    [...said.values()]
      .flat()
      .filter(isEphemeral)
      .sort((a, b) => Number(a.ts) - Number(b.ts));

  function tell(what: '' | '_changed' | '_deleted', message: Message | Ephemeral): void {
    const change = isEphemeral(message)
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

  return {
    nextTs: () => nextTs(),
    history,
    message: (channel: string, ts: string) => history(channel).find((one) => one.ts === ts),
    /** The message as it is now; undefined if it is gone. */
    current: ({ channel, ts }: Message | Ephemeral) => saidIn(channel).find((one) => one.ts === ts),
    ephemerals: (user: string): readonly Ephemeral[] => allEphemerals().filter((one) => one.to === user),
    post: (channel: string, user: string, content: Content): Message => add(compose(channel, user, content)),
    postEphemeral: (channel: string, to: string, content: Content): Ephemeral =>
      add({ ...compose(channel, bot.id, content), to }),
    edit,
    remove,
    /** Removes the messages that only `user` sees, as a reload does. */
    forgetEphemerals: (user: string) =>
      allEphemerals()
        .filter((one) => one.to === user)
        .forEach(remove),
    clear: () => said.clear(),
    snapshot: (): Pick<WorkspaceSnapshot, 'messages' | 'ephemerals'> => ({
      messages: [...said.keys()].flatMap((id) => history(id).slice(-KEPT_MESSAGES)),
      ephemerals: allEphemerals().slice(-KEPT_MESSAGES),
    }),
    restore(kept: Pick<WorkspaceSnapshot, 'messages' | 'ephemerals'>): void {
      said.clear();
      const all = [...kept.messages, ...kept.ephemerals];
      for (const one of all) said.set(one.channel, [...saidIn(one.channel), one]);
      const times = all.map(({ ts }) => ts).sort();
      nextTs = createTimestamps(now, times.at(-1));
    },
  };
}
