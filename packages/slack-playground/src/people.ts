import { actOn, type Choice, spotKey, stateValues } from './elements.ts';
import type { Ack, DeliveryOptions } from './http-delivery.ts';
import type { Parts } from './parts.ts';
import type { Reaction } from './reactions.ts';
import {
  type Forgery,
  findSpot,
  idOf,
  needChannel,
  needSeen,
  needUser,
  type Ref,
  type Target,
} from './references.ts';
import { Refusal } from './refusal.ts';
import type { Ephemeral, Json, Message } from './types.ts';

/** A file that somebody puts into a message. */
export interface GivenFile {
  name: string;
  bytes: Uint8Array | string;
}

/** What people do outside of views: commands, clicks, messages, visits to the app. `usualCommand` is the default. */
export function createPeople(parts: Parts, usualCommand: string) {
  const { workspace, triggers, urls, payloads, reactions, views, features, files } = parts;
  const chosen = new Map<string, Map<string, Json>>();

  /** If the acknowledgement of a command has a message, shows it to the person. */
  function showAck(ack: Ack, responseUrl: string): { toast: string | null } {
    if (ack.status !== 200 || ack.body === '') return { toast: ack.toast };
    const body = typeof ack.body === 'object' ? (ack.body as Json) : { text: String(ack.body) };
    try {
      urls.acknowledge(responseUrl, body);
      return { toast: null };
    } catch (error) {
      if (error instanceof Refusal) return { toast: error.code };
      throw error;
    }
  }

  /** Sends an event to the app, once; Slack's retries are `resend({retry})`. */
  async function event(fields: Json & { type: string }, how: DeliveryOptions = {}): Promise<Reaction> {
    const stamped = { event_ts: workspace.nextTs(), ...fields };
    return reactions.send(payloads.event(stamped, Math.floor(workspace.now() / 1000)), how);
  }

  return {
    /** Types a command. Throws for people who cannot type there or have no commands, unless `forged`. */
    async command(
      given: { user: Ref; channel: Ref; text?: string; command?: string } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const channel = needChannel(workspace, given.channel);
      const { command = usualCommand, text = '' } = given;
      if (!given.forged && user.is_stranger)
        throw new Error(`${user.name} is from another workspace: no commands.`);
      if (!given.forged && !channel.members.includes(user.id))
        throw new Error(`${user.name} is not in there.`);
      const typed = `${command} ${text}`.trim();
      const trigger_id = triggers.issue(user.id, channel.id);
      const response_url = urls.issue({ user: user.id, channel: channel.id, typed });
      const envelope = payloads.command(user, channel, { command, text, trigger_id, response_url });
      return reactions.send({ ...envelope, settle: (ack: Ack) => showAck(ack, response_url) }, how);
    },

    /**
     * Uses an element of a message: presses a button, or chooses `value` in a menu. Throws if the person does not see
     * the message (somebody else's ephemeral), or if it has changed since, unless `forged`. A double click is two calls
     * at once, a replay is `resend()`.
     */
    async click(
      given: { user: Ref; message: Message | Ephemeral; value?: Choice } & Target & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const { message } = given;
      if (!given.forged) needSeen(workspace, user, message);
      const channel = needChannel(workspace, message.channel);
      const spot = findSpot(message.blocks, given);
      const { action, state } = actOn(spot, given.value, workspace.nextTs());
      const place = [user.id, channel.id, message.ts].join(' ');
      const inputs = chosen.get(place) ?? new Map<string, Json>();
      if (state) chosen.set(place, inputs.set(spotKey(spot), state));
      const envelope = payloads.interaction('block_actions', user, {
        container: {
          type: 'message',
          message_ts: message.ts,
          channel_id: channel.id,
          is_ephemeral: 'to' in message,
        },
        ...payloads.ofMessage(channel, message),
        state: { values: stateValues(message.blocks, inputs) },
        actions: [action],
        trigger_id: triggers.issue(user.id, channel.id),
        response_url: urls.issue({ user: user.id, channel: channel.id, original: message }),
      });
      return reactions.send(envelope, how);
    },

    /**
     * Opens the app's own place on one of its tabs, by default Home. Resolves with undefined if the app does not
     * subscribe to the event. Throws for a tab that is turned off, and for people of other workspaces.
     */
    async openApp(
      given: { user: Ref; tab?: 'home' | 'messages' },
      how: DeliveryOptions = {},
    ): Promise<Reaction | undefined> {
      const user = needUser(workspace, given.user);
      const { tab = 'home' } = given;
      if (user.is_stranger) throw new Error(`${user.name} is from another workspace: the app is not theirs.`);
      if (!features[tab]) throw new Error(`The app has no ${tab} tab.`);
      const channel = workspace.directMessage(user.id, workspace.bot.id).id;
      if (!features.hears('app_home_opened')) return undefined;
      const view = tab === 'home' ? views.home(user.id) : undefined;
      return event({ type: 'app_home_opened', user: user.id, channel, tab, ...(view && { view }) }, how);
    },

    event,

    /**
     * Writes in a channel, or in reply to the message `thread_ts`, perhaps with files. Sends nothing to the app: message
     * events are not imitated.
     */
    say(given: { user: Ref; channel: Ref; text: string; thread_ts?: string; files?: GivenFile[] }): Message {
      const [user, channel] = [idOf(given.user), idOf(given.channel)];
      const shared = (given.files ?? []).map(({ name, bytes }) => {
        const info = files.add(user, name, new Uint8Array(Buffer.from(bytes)));
        files.share(info.id, channel);
        return info;
      });
      return workspace.post(channel, user, {
        text: given.text,
        blocks: [],
        ...(given.thread_ts !== undefined && { thread_ts: given.thread_ts }),
        ...(shared.length > 0 && { files: shared }),
      });
    },

    reset: () => chosen.clear(),
  };
}
