import {
  type Choice,
  labelOf,
  optionOf,
  type Spot,
  spotKey,
  spotsOf,
  stateAfter,
  stateValues,
} from './elements.ts';
import type { Ack, DeliveryOptions } from './http-delivery.ts';
import type { Shortcut } from './manifest.ts';
import type { Parts } from './parts.ts';
import type { Reaction } from './reactions.ts';
import { Refusal } from './refusal.ts';
import type { Block, Channel, Ephemeral, Json, Message, User } from './types.ts';
import { seesChannel, type Workspace } from './workspace.ts';

/** A person, channel or view: its id, or the thing itself. */
export type Ref = string | { readonly id: string };

/** Which element to use. Exactly one element must fit all given fields. */
export interface Target {
  action_id?: string;
  block_id?: string;
  /** The element's visible words: a button's text, an input's label. */
  text?: string;
}

/** With `forged`, a person does what Slack's client would not let them do. */
export interface Forgery {
  forged?: boolean;
}

/** A file that somebody puts into a message. */
export interface GivenFile {
  name: string;
  bytes: Uint8Array | string;
}

export const idOf = (ref: Ref): string => (typeof ref === 'string' ? ref : ref.id);

/** The user. Throws if there is none. */
export function needUser(workspace: Workspace, ref: Ref): User {
  const user = workspace.user(idOf(ref));
  if (!user) throw new Error(`There is no user ${idOf(ref)}.`);
  return user;
}

/** The element that fits. Throws an error that lists the elements, unless exactly one fits. */
export function findSpot(blocks: readonly Block[], { action_id, block_id, text }: Target): Spot {
  const spots = spotsOf(blocks);
  const fitting = spots
    .filter((spot) => action_id === undefined || spot.element.action_id === action_id)
    .filter((spot) => block_id === undefined || spot.block.block_id === block_id)
    .filter((spot) => text === undefined || labelOf(spot) === text);
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const there = spots.map((spot) => `${spot.element.action_id} "${labelOf(spot)}"`).join(', ') || 'none';
  const wanted = JSON.stringify({ action_id, block_id, text });
  throw new Error(
    `${fitting.length === 0 ? 'No element fits' : 'More than one element fits'} ${wanted}: ${there}.`,
  );
}

/** The payload's entry in `actions` for using `spot`, and the new state of the element if it has one. */
export function actOn(
  { block, element }: Spot,
  value: Choice | undefined,
  ts: string,
): { action: Json; state?: Json } {
  const { type, action_id } = element;
  const common = { type, action_id, block_id: block.block_id, action_ts: ts };
  if (element.type === 'overflow') {
    return { action: { ...common, selected_option: optionOf(element, value as string) } };
  }
  const state = stateAfter(element, value ?? null);
  if (state) return { action: { ...common, ...state }, state };
  const { text, value: given, style } = element;
  return { action: { ...common, text, value: given, style } };
}

/** What people do outside of views: commands, clicks, shortcuts, messages. `usualCommand` is the default command. */
export function createPeople(parts: Parts, usualCommand: string) {
  const { workspace, triggers, urls, payloads, reactions, views, features, files } = parts;
  const chosen = new Map<string, Map<string, Json>>();

  function needChannel(ref: Ref): Channel {
    const channel = workspace.channel(idOf(ref));
    if (!channel) throw new Error(`There is no channel ${idOf(ref)}.`);
    return channel;
  }

  /** Throws if the person does not see the message, or if the message has changed since. */
  function needSeen(user: User, message: Message | Ephemeral): void {
    const sees = 'to' in message ? message.to === user.id : seesChannel(user, needChannel(message.channel));
    if (workspace.current(message) !== message || !sees)
      throw new Error(`${user.name} does not see this message as it is.`);
  }

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

  function needShortcut(user: User, type: Shortcut['type'], id: string): void {
    if (user.is_stranger) throw new Error(`${user.name} is of another workspace: no shortcuts.`);
    const has = features.shortcuts?.some((one) => one.type === type && one.callback_id === id) ?? true;
    if (!has) throw new Error(`The app has no ${type} shortcut ${id}.`);
  }

  /** Sends an event to the app, once. */
  async function tell(event: Json & { type: string }, how: DeliveryOptions): Promise<Reaction> {
    const stamped = { event_ts: workspace.nextTs(), ...event };
    return reactions.send(payloads.event(stamped, Math.floor(workspace.now() / 1000)), how);
  }

  return {
    /** Types a command. Throws for people who cannot type there or have no commands, unless `forged`. */
    async command(
      given: { user: Ref; channel: Ref; text?: string; command?: string } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const channel = needChannel(given.channel);
      const { command = usualCommand, text = '' } = given;
      if (!given.forged && user.is_stranger)
        throw new Error(`${user.name} is of another workspace: no commands.`);
      if (!given.forged && !channel.members.includes(user.id))
        throw new Error(`${user.name} is not in there.`);
      const typed = `${command} ${text}`.trim();
      const trigger_id = triggers.issue(user.id, channel.id);
      const response_url = urls.issue({ user: user.id, channel: channel.id, typed });
      const told = payloads.command(user, channel, { command, text, trigger_id, response_url });
      return reactions.send({ ...told, settle: (ack: Ack) => showAck(ack, response_url) }, how);
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
      if (!given.forged) needSeen(user, message);
      const channel = needChannel(message.channel);
      const spot = findSpot(message.blocks, given);
      const { action, state } = actOn(spot, given.value, workspace.nextTs());
      const place = [user.id, channel.id, message.ts].join(' ');
      const inputs = chosen.get(place) ?? new Map<string, Json>();
      if (state) chosen.set(place, inputs.set(spotKey(spot), state));
      const told = payloads.interaction('block_actions', user, {
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
      return reactions.send(told, how);
    },

    /**
     * Starts a global shortcut. `channel` is the one that the person looks at; the app does not learn it. Throws for
     * people of other workspaces, and if the manifest has no such shortcut, unless `forged`.
     */
    async shortcut(
      given: { user: Ref; callback_id: string; channel?: Ref } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const { callback_id } = given;
      if (!given.forged) needShortcut(user, 'global', callback_id);
      const trigger_id = triggers.issue(user.id, given.channel && idOf(given.channel));
      const fields = { callback_id, trigger_id, action_ts: workspace.nextTs() };
      return reactions.send(payloads.interaction('shortcut', user, fields), how);
    },

    /** Starts a shortcut on a message. Throws as `shortcut` and `click` do. */
    async messageShortcut(
      given: { user: Ref; message: Message; callback_id: string } & Forgery,
      how: DeliveryOptions = {},
    ): Promise<Reaction> {
      const user = needUser(workspace, given.user);
      const { message, callback_id } = given;
      if (!given.forged) needShortcut(user, 'message', callback_id);
      if (!given.forged) needSeen(user, message);
      const channel = needChannel(message.channel);
      const told = payloads.interaction('message_action', user, {
        message_ts: message.ts,
        ...payloads.ofMessage(channel, message),
        callback_id,
        trigger_id: triggers.issue(user.id, channel.id),
        action_ts: workspace.nextTs(),
        response_url: urls.issue({ user: user.id, channel: channel.id }),
      });
      return reactions.send(told, how);
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
      if (user.is_stranger) throw new Error(`${user.name} is of another workspace: the app is not theirs.`);
      if (!features[tab]) throw new Error(`The app has no ${tab} tab.`);
      const channel = workspace.directMessage(user.id, workspace.bot.id).id;
      if (!features.hears('app_home_opened')) return undefined;
      const view = tab === 'home' ? views.home(user.id) : undefined;
      return tell({ type: 'app_home_opened', user: user.id, channel, tab, ...(view && { view }) }, how);
    },

    /** Sends an event to the app, once; Slack's retries are `resend({retry})`. */
    event: (event: Json & { type: string }, how: DeliveryOptions = {}): Promise<Reaction> => tell(event, how),

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
