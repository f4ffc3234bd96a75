import type { Shortcut } from './manifest.ts';
import type { Ephemeral, Message, OpenView, View } from './types.ts';

/**
 * What the playground's page shows and does: the contract between the page (plain modules in `page/`) and its server.
 * The page gets the whole state of one person's screen by server-sent events and posts what the person does.
 *
 * - `GET /`: the page; `GET /page/…`: its files; `GET /panels/…`: those of the panels beside the channel.
 * - `GET /events?as=USER`: server-sent events, each `data:` one `PageState` as JSON, sent at once and after each change.
 *   Without `as` it is the screen of the first of the people.
 * - `GET /files/ID?as=USER`: a file's bytes, to keep or to show as text, for whoever sees a conversation that it is in.
 * - `GET /files/ID/picture?as=USER`: the same of a picture, as one.
 * - `POST /act/share?…`: the bytes of a file for a channel, as `application/octet-stream`, with `Share` as its query.
 * - `POST /act/attach?…`: the bytes of a file for a file_input, as `application/octet-stream`, with `Attach` as its query.
 * - `POST /act/…`, `/panels/…`, `/bot/…`, `/start-over`: JSON in, `ActionAnswer` out (400 with `problem` for bad input).
 */
export interface PageState {
  /** Who is looking. */
  as: string;
  team: { id: string; name: string };
  bot: { userId: string; name: string; state: 'starting' | 'running' | 'down' };
  people: PagePerson[];
  /** The channels and direct messages that this person sees, with their latest messages. */
  channels: PageChannel[];
  /** Modals of this person, topmost last. */
  views: readonly OpenView[];
  /** The app's own place: the tabs that this person has there, and the Home that was published for them. */
  app: { tabs: readonly ('home' | 'messages')[]; view?: View };
  /** The shortcuts of the app that this person has. */
  shortcuts: readonly Shortcut[];
  /**
   * The commands of the app, for autocomplete: word and hint such as `<question> <answers>`. `for` says who may use one:
   * nobody else gets it suggested. Staff are members, admins and owners.
   */
  commands: { word: string; hint: string; description: string; for?: 'staff' | 'admins' }[];
  /** Id of the channel that opens first, and where **Try this** is. */
  home: string;
  /** The command that a quiet channel recommends. */
  help?: string;
  tryThis?: TryThis;
  /** The panels beside the channel, in their order. */
  tabs: readonly PanelTab[];
  /** What each panel shows, by its id; only its own module reads it. */
  panels: { [id: string]: unknown };
}

/** Steps for a newcomer, in the order in which they make sense. */
export interface TryThis {
  steps: Step[];
  /** What to paste where the app asks for a key, while that is useful. */
  key?: { label: string; name: string; key: string };
}

/** A step prepares; the person presses Enter. */
export interface Step {
  id: string;
  name: string;
  /** What it is about. */
  text: string;
  done: boolean;
  /** What is missing, as a sentence: until then it cannot begin. */
  needs?: string;
  /** Who can do it: staff are members, admins and owners. */
  by: 'admin' | 'staff' | 'guest';
  /** What it writes into the composer. */
  types: string;
  /** What comes after Enter. */
  after: string;
  /** What it copies to the clipboard, and what then comes after Enter. */
  copies?: { text: string; after: string };
}

/** A panel beside the channel: on a small screen its name and icon choose it. */
export interface PanelTab {
  id: string;
  name: string;
  /** One of `page/icons.js`. */
  icon: string;
}

export interface PagePerson {
  id: string;
  name: string;
  /** Such as "admin", "member", "guest", "from another workspace". */
  role: string;
}

export interface PageChannel {
  id: string;
  /** Without #; of a direct message with the bot, the bot's name. */
  name: string;
  kind: 'public' | 'private' | 'im';
  /** What everybody there sees, and among it (by `ts`) what only this person sees. */
  messages: readonly (Message | Ephemeral)[];
  /** Whether this person may type here. */
  canType: boolean;
  /** Whether other workspaces are in it. */
  isShared: boolean;
  /** Whether it is the direct message with the bot. */
  isWithBot: boolean;
}

/** What came of an action: `problem` is a sentence for the person, such as Slack's own toast. */
export interface ActionAnswer {
  ok: boolean;
  problem?: string;
}

/** A file that a person puts into a file_input of a modal. */
export interface Attach {
  as: string;
  view: string;
  block_id: string;
  action_id: string;
  /** The file's name. */
  name: string;
}

/** A file that a person posts in a channel. */
export interface Share {
  as: string;
  channel: string;
  /** The file's name. */
  name: string;
}

/** Bodies of the posts. */
export interface Actions {
  /** `text` as it was typed, such as `/poll Lunch?`. */
  '/act/command': { as: string; channel: string; text: string };
  /** A plain message, when the text is no command. */
  '/act/say': { as: string; channel: string; text: string };
  /** A button, or a choice in a menu of a message; `value` as `Choice` in elements.ts. */
  '/act/click': {
    as: string;
    channel: string;
    ts: string;
    block_id: string;
    action_id: string;
    value?: unknown;
  };
  /** The same in a modal; `values` is what its inputs hold by then, by block id, so that the app hears of it. */
  '/act/view-click': {
    as: string;
    view: string;
    block_id: string;
    action_id: string;
    value?: unknown;
    values?: { [blockId: string]: unknown };
  };
  /** Submits a modal with the values of its inputs, by block id. */
  '/act/submit': { as: string; view: string; values: { [blockId: string]: unknown } };
  /** Takes a file out of a file_input again. */
  '/act/detach': { as: string; view: string; block_id: string; action_id: string; file: string };
  /** A shortcut of the app; `channel` is the one that is open. */
  '/act/shortcut': { as: string; callback_id: string; channel?: string | undefined };
  '/act/message-shortcut': { as: string; callback_id: string; channel: string; ts: string };
  /** The app's own place was opened, on this tab. */
  '/act/open-app': { as: string; tab: 'home' | 'messages' };
  '/act/close': { as: string; view: string; all?: boolean };
  /** A step of **Try this** begins: the server prepares it. */
  '/act/step': { id: string };
  /** What a panel asks for; its own server part checks the body. */
  [panelAction: `/panels/${string}`]: object;
  /** kill -9 of the bot, and a new one. */
  '/bot/restart': Record<string, never>;
  '/start-over': Record<string, never>;
}
